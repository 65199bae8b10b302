/**
 * Numbers that are names: server 1 and server 2 are two things, and what is said of the one does not replace what was
 * said of the other; port 3000 and port 4000 are two values of one thing. Either the noun before tells (an issue is never
 * set to another number), or the place in the sentence: "port 22 is closed" speaks of it, "the port is 22" sets it.
 * Data: another language adds its own words.
 */
import { classOf } from './valueClasses.ts';

/** Numbered wherever they stand. Lower case. */
const NUMBERED =
  /^(?:servers?|shards?|replicas?|hosts?|machines?|instances?|workers?|partitions?|racks?|teams?|squads?|groups?|issues?|tickets?|bugs?|prs?|mrs?|incidents?|stor(?:y|ies)|epics?|tasks?|adrs?|rfcs?|cves?|rules?|steps?|phases?|milestones?|sprints?|iterations?|chapters?|sections?|tables?|figures?|appendix|articles?|clauses?|exercises?|experiments?|scenarios?|requirement|question|decision|option|item|record|case|invoice|order|statement|fact|note|alert|lesson|example|principle|guideline|goal|objective|finding|device|sensor|queue|pod|cluster|lane|account|contract|vendor|supplier|employee|patient|student|lot|batch|plant|store|warehouse|customers?|tenants?|clients?|buildings?|rooms?|floors?|zones?|http|errors?|errno)$|(?:服务器|分片|副本|主机|机器|实例|机房|团队|小组|任务|工单|缺陷|需求|规则|步骤|阶段|里程碑|迭代|冲刺|章节|表格|附录|条款|实验|场景|客户|租户|错误码|状态码|会议室|可用区|问题|决定|选项|记录|案例|订单|发票|示例|原则|目标|设备|队列|集群|合同|供应商|员工|批次|仓库|门店)$/;

/** "Rule number 3" is rule 3; "port number 3000" is a value of the port. */
const NUMBER_WORD = /^(?:numbers?|no|nr|编号)$/;

/** Numbered where a statement begins with them: "level 1 support answers in four hours", but "use compression level 6". */
const NUMBERED_FIRST = /^(?:levels?|tiers?|stages?|days?|weeks?|rounds?|parts?)$/;

/** What follows a number that the sentence is about. */
const SPEAKS_OF =
  /^(?:is|are|was|were|has|have|had|must|should|shall|may|can|cannot|can't|will|does|do|did|always|never|only|means?|runs?|holds?|enables?|disables?|drives?|needs?|owns?|covers?|shows?|succeeds?|fails?|belongs?|goes|answers?|handles?|serves?|stores?|contains?|returns?|requires?|uses?|lives?|ends?|starts?|pays?|是|用于|用的|用|被|表示|代表|意味着?|运行|属于|必须|已经?|只|由|存|放|负责|不|会|需要)$/;

/** Their numbers are versions, which do replace each other. */
const VERSIONED = /^(?:node|nodejs|node\.js|deno|jdk|jre|\.net|dotnet|windows|macos|ubuntu|debian|fedora|ios|android|chrome|firefox|safari|spring|rails|laravel|unity|es|v|versions?|版本|版)$/;

const NUMBER = /^(?:\d+|\d{4}-\d{2}-\d{2})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Whether `words[at]`, a number, is part of a name. `carries` tells words that say nothing of a subject. */
export function isNumberedName(words: readonly string[], at: number, carries: (word: string) => boolean): boolean {
  const named = NUMBER_WORD.test(words[at - 1] ?? '') ? at - 2 : at - 1;
  const [noun, number = '', next] = [words[named], words[at], words[at + 1]];
  if (noun === undefined || !NUMBER.test(number)) return false;
  // The dictionary may cut a Chinese noun in two.
  if (NUMBERED.test(noun) || NUMBERED.test(`${words[named - 1] ?? ''}${noun}`)) return true;
  if (named === 0 && NUMBERED_FIRST.test(noun)) return true;
  if (next === undefined || !SPEAKS_OF.test(next) || VERSIONED.test(noun) || classOf(noun) !== undefined) return false;
  if (!DATE.test(number) && (!/^(?:\p{Script=Han}+|\p{L}{2,})$/u.test(noun) || carries(noun))) return false;
  // "Python 3 is required" says nothing but the number.
  return words.slice(at + 2).some((word) => !carries(word) && !/^v?\d/.test(word) && classOf(word) === undefined);
}
