/**
 * Values that stand in for each other: a repository has one package manager, a deploy day is one
 * weekday. Two statements of the same subject with different values of one class are an old and
 * a new one; values of different classes (Redis and Kafka) can both be true.
 *
 * Data, lower case. Aliases of one value share a slot, separated by `|`.
 */
export const VALUE_CLASSES: Readonly<Record<string, readonly string[]>> = {
  weekday: ['monday|mondays|周一|星期一|礼拜一', 'tuesday|tuesdays|周二|星期二', 'wednesday|wednesdays|周三|星期三', 'thursday|thursdays|周四|星期四', 'friday|fridays|周五|星期五', 'saturday|saturdays|周六|星期六', 'sunday|sundays|周日|星期日|周天'],
  month: ['january|一月|1月', 'february|二月|2月', 'march|三月|3月', 'april|四月|4月', 'may|五月|5月', 'june|六月|6月', 'july|七月|7月', 'august|八月|8月', 'september|九月|9月', 'october|十月|10月', 'november|十一月|11月', 'december|十二月|12月'],
  frequency: ['daily|每天', 'weekly|每周|every-week', 'biweekly|fortnightly|每两周|2-weeks|两周', 'monthly|每月', 'quarterly|每季度', 'yearly|annually|每年', 'hourly|每小时'],
  packageManager: ['npm', 'pnpm', 'yarn', 'bun', 'pip', 'poetry', 'uv', 'pipenv', 'conda'],
  database: ['postgresql|postgres|psql|pg', 'mysql', 'mariadb', 'sqlite', 'mongodb|mongo', 'cockroachdb|cockroach', 'dynamodb', 'oracle', 'mssql|sqlserver', 'cassandra', 'clickhouse', 'duckdb', 'firestore', 'supabase', 'planetscale', 'tidb'],
  orm: ['prisma', 'drizzle', 'typeorm', 'sequelize', 'mikroorm|mikro-orm', 'knex', 'kysely', 'sqlalchemy', 'hibernate', 'gorm', 'sqlc', 'objection'],
  testRunner: ['jest', 'vitest', 'mocha', 'ava', 'jasmine', 'karma', 'pytest', 'unittest', 'nose', 'junit', 'testng', 'rspec', 'minitest'],
  browserTest: ['cypress', 'playwright', 'selenium', 'puppeteer', 'webdriverio', 'nightwatch'],
  bundler: ['webpack', 'vite', 'rollup', 'esbuild', 'parcel', 'turbopack', 'rspack', 'tsup'],
  frontend: ['react', 'vue', 'angular', 'svelte', 'solid|solidjs', 'preact', 'htmx', 'lit', 'ember', 'alpine|alpinejs'],
  metaFramework: ['next|nextjs|next.js', 'nuxt|nuxtjs', 'remix', 'astro', 'sveltekit', 'gatsby'],
  nodeServer: ['express', 'fastify', 'koa', 'hapi', 'nestjs|nest', 'hono'],
  pythonServer: ['django', 'flask', 'fastapi', 'starlette', 'tornado'],
  css: ['tailwind|tailwindcss', 'bootstrap', 'css-modules|cssmodules', 'styled-components', 'emotion', 'sass|scss', 'less', 'unocss'],
  state: ['redux', 'zustand', 'mobx', 'jotai', 'recoil', 'pinia', 'vuex', 'xstate'],
  formatter: ['prettier', 'biome', 'dprint', 'black', 'yapf', 'autopep8', 'ruff', 'gofmt', 'gofumpt'],
  linter: ['eslint', 'tslint', 'oxlint', 'pylint', 'flake8', 'golangci-lint'],
  validation: ['zod', 'joi', 'yup', 'ajv', 'valibot', 'pydantic', 'marshmallow'],
  broker: ['kafka', 'rabbitmq', 'nats', 'sqs', 'pulsar', 'activemq', 'redis-streams'],
  cloud: ['aws', 'gcp', 'azure', 'hetzner', 'digitalocean', 'heroku', 'vercel', 'netlify', 'fly.io|flyio', 'cloudflare', '阿里云', '腾讯云', '华为云'],
  ci: ['github-actions|githubactions', 'gitlab-ci|gitlabci', 'jenkins', 'circleci', 'travis', 'buildkite', 'teamcity', 'drone'],
  codeHost: ['github', 'gitlab', 'bitbucket', 'gitea', 'forgejo'],
  apiStyle: ['rest', 'graphql', 'grpc', 'trpc', 'soap'],
  idFormat: ['uuid|uuidv4|uuidv7', 'ulid', 'cuid', 'nanoid', 'snowflake'],
  objectStore: ['s3', 'gcs', 'minio', 'r2', 'oss'],
  searchEngine: ['elasticsearch|elastic', 'opensearch', 'meilisearch', 'typesense', 'algolia', 'solr'],
  indent: ['tabs|tab', 'spaces|space'],
  quotes: ['single|单引号', 'double|双引号'],
  mergeStyle: ['rebase', 'squash', 'merge-commit'],
  spelling: ['british', 'american'],
  theme: ['dark', 'light'],
  logLevel: ['debug', 'info', 'warn|warning', 'error', 'trace', 'fatal'],
  container: ['docker', 'podman'],
  orchestrator: ['kubernetes|k8s', 'nomad', 'ecs', 'swarm'],
  iac: ['terraform', 'pulumi', 'cdk', 'ansible', 'opentofu', 'cloudformation'],
  dateLibrary: ['moment', 'date-fns', 'dayjs', 'luxon', 'temporal'],
  httpClient: ['axios', 'fetch', 'got', 'ky', 'superagent', 'requests', 'httpx', 'aiohttp'],
  hash: ['bcrypt', 'argon2|argon2id', 'scrypt', 'pbkdf2', 'md5', 'sha1', 'sha256'],
  licence: ['mit', 'apache', 'gpl', 'agpl', 'bsd', 'mpl'],
  logger: ['winston', 'pino', 'bunyan', 'zap', 'logrus', 'slog', 'zerolog', 'log4j', 'loguru'],
  secretStore: ['vault', '1password', 'doppler', 'secrets-manager'],
  flags: ['launchdarkly', 'unleash', 'flagsmith', 'growthbook'],
  language: ['english|英文|英语', 'german|德语', 'french|法语', 'chinese|中文|汉语', 'spanish|西班牙语', 'japanese|日语|日文'],
  programmingLanguage: ['go|golang', 'rust', 'python', 'typescript', 'javascript', 'java', 'kotlin', 'swift', 'ruby', 'php', 'elixir', 'scala', 'c#|csharp', 'c++|cplusplus', 'zig', 'haskell'],
  editor: ['vim', 'neovim|nvim', 'emacs', 'vscode', 'intellij', 'zed', 'helix'],
};

const CLASS_OF = new Map<string, { readonly name: string; readonly value: string }>();
for (const [name, values] of Object.entries(VALUE_CLASSES)) {
  for (const aliases of values) {
    const [value] = aliases.split('|');
    for (const alias of aliases.split('|')) if (!CLASS_OF.has(alias)) CLASS_OF.set(alias, { name, value: value ?? alias });
  }
}

/** The class and canonical value of a lower-case word. */
export const classOf = (word: string): { readonly name: string; readonly value: string } | undefined => CLASS_OF.get(word);

/** Every written form of every value of the class; for finding neighbours of a bare "actually Tuesday". */
export const wordsOfClass = (name: string): string[] => (VALUE_CLASSES[name] ?? []).flatMap((aliases) => aliases.split('|'));
