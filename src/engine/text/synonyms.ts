/**
 * Words of the field that mean the same, as data: abbreviations, product nicknames, near
 * synonyms, and a glossary between English and Chinese so that words alone already cross the
 * languages to some degree. Each line is one group; every member finds every other. A member
 * of several words is written with `_` and matched as a phrase.
 *
 * Adding a Chinese word of three or more characters? Raise TOKENIZER_VERSION: such words are
 * tokens of the index.
 */

const GROUPS = `
db database 数据库 datastore
k8s kubernetes kube
ts typescript
js javascript
py python
rb ruby
rs rust
golang go_lang
csharp c_sharp
cplusplus cpp
dotnet net_core aspnet
nodejs node
pg postgres postgresql psql
mongo mongodb
es elasticsearch
tf terraform
gha github_actions
gh github
pkg package 包 软件包
dep dependency 依赖 依赖项
deps dependencies 依赖
repo repository 仓库 代码库 代码仓库
env environment 环境
var variable 变量
envvar environment_variable 环境变量
config configuration settings cfg conf 配置 设置
auth authentication login signin 认证 登录 鉴权 身份验证
authz authorization permission 授权 权限
perm permission privilege 权限
pwd password passwd 密码 口令
cred credential secret 凭证 凭据
secret 密钥 机密
token 令牌
key 密钥 键
docs documentation doc 文档
readme 说明文档
msg message 消息
err error 错误 报错
exception 异常
bug defect issue 缺陷 故障
fix repair patch 修复
fn func function 函数
method 方法
arg argument param parameter 参数
impl implement implementation 实现
lib library 库 类库
fw framework 框架
ui interface frontend 界面
frontend 前端 client_side
backend 后端 server_side
server 服务器 服务端
client 客户端
service 服务 微服务
microservice 微服务
api endpoint 接口
interface 接口
route router routing 路由
req request 请求
res response 响应
resp response 响应
ws websocket
sse server_sent_events
mq queue 队列 消息队列
queue 队列
job task 任务 作业
worker 工作进程
cron schedule scheduled 定时 定时任务 计划任务
cache caching 缓存
ttl expiry expiration expire 过期 有效期
timeout 超时
retry 重试
backoff 退避
limit cap maximum max 上限 限制
ratelimit rate_limit throttle 限流 速率限制
perf performance 性能
latency delay 延迟
memory ram 内存
disk storage 磁盘 存储
log logging logs 日志
monitor monitoring observability 监控
metric metrics 指标
alert alarm 告警 报警
trace tracing 链路追踪
test testing 测试
unit_test 单元测试 单测
integration_test 集成测试
e2e end_to_end 端到端
mock stub 模拟
lint linter linting 代码检查
fmt format formatter formatting 格式化
style 风格 样式
indent indentation 缩进
naming 命名
comment 注释
commit 提交
branch 分支
merge 合并
rebase 变基
pr pull_request merge_request mr 合并请求 拉取请求
review 评审 审查 代码审查
release 发布 发版
deploy deployment rollout ship 部署 上线
rollback revert 回滚
ci continuous_integration 持续集成
cd continuous_delivery
pipeline 流水线 管道
build compile 构建 编译
bundle bundler 打包
container docker 容器
image 镜像
cluster 集群
node 节点
pod pods
vm virtual_machine 虚拟机
host 主机
port 端口
proxy 代理
gateway 网关
dns domain 域名
lb load_balancer 负载均衡
cdn 内容分发
cert certificate tls ssl https 证书
encrypt encryption 加密
hash hashing 哈希 散列
backup 备份
restore recovery 恢复
migrate migration 迁移
schema 模式 表结构
table 表 数据表
column field 字段 列
row record 记录
index indexing 索引
query 查询
search 搜索 检索
sort order 排序
filter 过滤 筛选
join 连接
connection 连接
connection_pool 连接池
pool 池
transaction tx 事务
lock locking mutex 锁 加锁
deadlock 死锁
concurrency concurrent parallel 并发 并行
thread 线程
process 进程
async asynchronous 异步
sync synchronous synchronization 同步
event 事件
callback 回调
hook 钩子
plugin extension addon 插件 扩展
module 模块
component 组件
class 类
type typing 类型
object 对象
array list 数组 列表
string str 字符串
int integer number 整数 数字
bool boolean 布尔
date time timestamp 时间 日期
timezone tz 时区
file 文件
folder directory dir 目录 文件夹
path 路径
upload 上传
download 下载
image_upload 图片上传
user account 用户 账户 账号
admin administrator 管理员
role 角色
session 会话
cookie cookies
payment billing pay 支付 付款
order 订单
invoice 发票
customer 客户
product 产品 商品
project 项目
team 团队
meeting 会议
deadline due 截止 截止日期
version ver 版本
upgrade update 升级 更新
deprecate deprecated obsolete 弃用 废弃
remove delete drop 删除 移除
create add new 创建 新增 添加
change modify edit 修改 更改
read 读取
write 写入
save persist 保存 持久化
load 加载
start launch boot 启动
stop halt 停止
restart reboot 重启
crash 崩溃
leak 泄漏 泄露
debug debugging 调试
prod production 生产 生产环境 线上
dev development 开发 开发环境
staging preprod 预发 预发布 测试环境
local localhost 本地
remote 远程
default 默认
prefer preference favourite favorite 偏好 喜欢
prohibit forbid never ban banned 禁止 不要 切勿
always 始终 总是 一律
rule convention guideline policy 规则 规范 约定
decide decision 决定 决策
choose choice select 选择 选用
reason because 原因
language 语言
translate translation i18n l10n 国际化 翻译 本地化
chinese 中文
english 英文 英语
model 模型
embedding vector 向量 嵌入
train training 训练
prompt 提示词
llm language_model 大模型
accessibility a11y 无障碍
security secure 安全
privacy 隐私
audit 审计
compliance 合规
feature 功能 特性
flag toggle 开关
feature_flag 功能开关 特性开关
gray canary 灰度
experiment 实验
email mail 邮件 邮箱
sms 短信
notification notify 通知
webhook 回调
app application 应用
mobile phone 手机 移动端
browser 浏览器
page 页面
button 按钮
form 表单
dark_mode 深色模式 暗色
width 宽度
size 大小
speed fast quick 速度
slow 慢
large big 大
small tiny 小
empty blank 空
null none nil 空值
constant const 常量
enum enumeration 枚举
loop iterate iteration 循环 遍历
recursion recursive 递归
regex regexp regular_expression 正则 正则表达式
parse parser parsing 解析
serialize serialization marshal 序列化
validate validation validator 校验 验证
vscode vs_code
os operating_system 操作系统
cli command_line 命令行
shell terminal console 终端
script 脚本
cmd command 命令
orm object_relational
sdk toolkit
id identifier uid uuid 标识
url link uri 链接 网址
img picture photo 图片
monorepo 单体仓库
tab tabs 制表符
space spaces 空格
line lines 行
quote quotes 引号
semicolon 分号
snapshot 快照
coverage 覆盖率
benchmark 基准测试 压测
load_test 压力测试 压测
incident outage 事故 宕机
oncall on_call 值班
owner responsible 负责人
contact 联系人
holiday vacation 假期
weekly 每周
daily nightly 每天 每日 每晚
monthly 每月
`;

/** Members of each group; phrases have `_` between their words. */
export const SYNONYM_GROUPS: readonly (readonly string[])[] = GROUPS.split('\n')
  .map((line) => line.trim().split(/\s+/).filter((member) => member !== ''))
  .filter((group) => group.length > 1);

/** The Chinese words of the glossary with two or more characters, longest first. */
export const GLOSSARY_WORDS: readonly string[] = [...new Set(SYNONYM_GROUPS.flat().filter((member) => /^\p{Script=Han}{2,}$/u.test(member)))].sort((a, b) => b.length - a.length);
