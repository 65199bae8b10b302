/**
 * The directions of imports, as a machine-checked list. Each rule says in its comment what it protects; when one
 * fires, move the code, do not widen the rule. `dependencyRules.test.ts` proves that each of them fires.
 */
const ENGINE_PURE = '^src/engine/(model|text|retrieval|extraction|forgetting|curation|injection|scope|transfer)/';
const ENGINE_ADAPTER = '^src/engine/(storage/sqlite|vectorIndex/(hnsw|exact)|embedding/(bundled|transformers|remote|hashing))/';
/** The same folders with one capture only, so that a rule can say "another one than its own". */
const ENGINE_ADAPTER_NAMED = '^src/engine/(storage/sqlite|vectorIndex/(?:hnsw|exact)|embedding/(?:bundled|transformers|remote|hashing))/';
const POLICY = '^src/engine/(retrieval|extraction|forgetting|curation|injection|transfer)/';
const SURFACE = '^src/(mcp|cli|hooks|sharing|proxy|server|extension)/';
const FOLDERS = '^src/(base|engine|git|transcripts|workingTree|runtime|worker|operations|mcp|cli|hooks|registration|sharing|proxy|server|program|extension|protocol)/';

/** Whatever `from` matches may import of ours only what `allowed` matches. */
const only = (name, comment, from, allowed) => ({
  name, comment, severity: 'error', from: { path: from }, to: { path: '^(src|webview-ui|test)/', pathNot: allowed },
});

/** A heavy package, and the one place that may know it. */
const HOMES = [
  ['sql[.]js', '^src/engine/storage/'],
  ['(hnswlib-node|usearch)', '^src/engine/vectorIndex/hnsw/'],
  ['onnxruntime-(node|web)', '^src/engine/embedding/bundled/'],
  ['@huggingface/transformers', '^src/engine/embedding/transformers/'],
  ['opencc-js', '^src/engine/text/'],
  ['simple-git', '^src/git/'],
  ['pg', '^src/server/postgres/'],
  ['fastify', '^src/server/'],
  ['commander', '^src/cli/'],
  ['@modelcontextprotocol/sdk', '^src/mcp/'],
];

module.exports = {
  forbidden: [
    { name: 'no-cycles', comment: 'A cycle means two folders are one folder.', severity: 'error', from: { path: '^(src|webview-ui)/' }, to: { circular: true } },
    { name: 'unresolvable', comment: 'An import that leads nowhere.', severity: 'error', from: { path: '^(src|webview-ui)/' }, to: { couldNotResolve: true, pathNot: '^(vscode|node:.*)$' } },
    { name: 'vscode-only-in-extension', comment: 'Type-only imports count: they are how a host leaks in.', severity: 'error', from: { pathNot: '^(src/extension|test/extension)/' }, to: { path: '(^vscode$|(^|/)node_modules/@types/vscode/)' } },
    only('base-is-a-leaf', 'base/ may use nothing of ours.', '^src/base/', '^src/base/'),
    only('protocol-knows-only-base', 'It is shipped into the webview sandbox.', '^src/protocol/', '^src/(protocol|base)/'),
    only('webview-knows-only-protocol', 'The webview talks by message, never by import.', '^webview-ui/', '^(webview-ui/|src/protocol/)'),
    only('engine-knows-only-itself', 'The engine must run with no host at all.', '^src/engine/', '^src/(engine|base)/'),
    only('model-knows-only-base', 'The nouns must be readable alone.', '^src/engine/model/', '^src/(engine/model|base)/'),
    only('text-knows-only-model', 'Tokens and counts are facts about text, not about stores.', '^src/engine/text/', '^src/(engine/(text|model)|base)/'),
    { name: 'no-node-in-pure-engine', comment: 'Policy code takes facts as arguments; I/O lives in adapters.', severity: 'error', from: { path: ENGINE_PURE }, to: { dependencyTypes: ['core'] } },
    { name: 'no-node-in-webview', comment: 'It runs in a browser sandbox.', severity: 'error', from: { path: '^(webview-ui|src/protocol)/' }, to: { dependencyTypes: ['core'] } },
    { name: 'adapters-are-wired-once', comment: 'Only engine.ts, and openEmbedder.ts for models, choose an implementation.', severity: 'error', from: { path: '^src/', pathNot: ['^src/engine/(engine|openEmbedder)[.]ts$', ENGINE_ADAPTER] }, to: { path: ENGINE_ADAPTER } },
    { name: 'adapters-are-strangers', comment: 'Swapping the index must not touch the store.', severity: 'error', from: { path: ENGINE_ADAPTER_NAMED }, to: { path: ENGINE_ADAPTER, pathNot: '^src/engine/$1/' } },
    { name: 'policies-are-strangers', comment: 'Formulas that two policies share live in model/.', severity: 'error', from: { path: POLICY }, to: { path: POLICY, pathNot: '^src/engine/$1/' } },
    { name: 'engine-by-its-door', comment: 'Outside code sees src/engine/index.ts and nothing behind it.', severity: 'error', from: { path: '^(src|webview-ui)/', pathNot: '^src/engine/' }, to: { path: '^src/engine/', pathNot: '^src/engine/index[.]ts$' } },
    only('git-is-an-adapter', 'It turns a working tree into RepoFacts, nothing more.', '^src/git/', '^src/(git|base|engine)/'),
    only('transcripts-are-an-adapter', 'They turn session files into episodes and know no store.', '^src/transcripts/', '^src/(transcripts|base|engine)/'),
    only('working-tree-is-an-adapter', 'It reads files for the engine and nothing else.', '^src/workingTree/', '^src/(workingTree|base|engine)/'),
    only('operations-know-no-surface', 'One verb, one implementation, for MCP, CLI, hooks and HTTP alike.', '^src/operations/', '^src/(operations|engine|base)/'),
    only('runtime-knows-no-surface', 'Composition must not depend on who asked.', '^src/runtime/', '^src/(runtime|engine|git|transcripts|workingTree|base)/'),
    only('worker-knows-no-surface', 'It composes runtime and operations for whichever surface asked.', '^src/worker/', '^src/(worker|runtime|operations|engine|git|transcripts|workingTree|base)/'),
    { name: 'worker-serves-surfaces', comment: 'What a surface needs of the worker it asks by itself.', severity: 'error', from: { path: '^src/', pathNot: ['^src/(worker|program)/', SURFACE] }, to: { path: '^src/worker/' } },
    only('registration-knows-runtime', 'It writes what clients need to find Cairn, and nothing into a store.', '^src/registration/', '^src/(registration|runtime|engine|base)/'),
    { name: 'registration-serves-people', comment: 'Only where a person asked for it: the command line and the extension.', severity: 'error', from: { path: '^src/', pathNot: '^src/(registration|cli|extension|program)/' }, to: { path: '^src/registration/' } },
    { name: 'surfaces-are-strangers', comment: 'Share through operations/ or runtime/; the one program (program/) starts them lazily.', severity: 'error', from: { path: SURFACE }, to: { path: SURFACE, pathNot: '^src/$1/' } },
    { name: 'nothing-imports-a-surface', comment: 'Surfaces are leaves of the tree; only the one program chooses among them.', severity: 'error', from: { path: '^src/', pathNot: [SURFACE, '^src/program/'] }, to: { path: SURFACE } },
    { name: 'protocol-only-in-extension-and-webview', comment: 'Engine types are translated by hand at the edge.', severity: 'error', from: { path: '^src/', pathNot: '^src/(extension|protocol)/' }, to: { path: '^src/protocol/' } },
    { name: 'src-never-imports-tests', comment: 'The product stands without its tests.', severity: 'error', from: { path: '^(src|webview-ui)/' }, to: { path: '^test/' } },
    ...HOMES.map(([name, home]) => ({
      name: `home-of-${name.replace(/[^a-z]+/g, '-').replace(/^-|-$/g, '')}`, comment: 'A heavy dependency has one home.', severity: 'error',
      from: { path: '^(src|webview-ui)/', pathNot: home }, to: { path: `(^|node_modules/)${name}(/|$)` },
    })),
    { name: 'unknown-folder', comment: 'Every file belongs to a folder of the map in src/ARCHITECTURE.md.', severity: 'error', from: { path: '^src/', pathNot: FOLDERS }, to: {} },
    { name: 'unknown-folder-imported', comment: 'Every file belongs to a folder of the map in src/ARCHITECTURE.md.', severity: 'error', from: {}, to: { path: '^src/', pathNot: FOLDERS } },
    { name: 'unreachable', comment: 'Dead code: no main.ts or door leads here.', severity: 'error', from: { path: '^(src/.*/main|src/[^/]+/index|webview-ui/src/main)[.]ts$' }, to: { path: '^(src|webview-ui)/', reachable: false, pathNot: '([.]d[.]ts$|/main[.]ts$)' } },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.]css$' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
