/**
 * Stop words: words that hold a question together and say nothing about its subject. They
 * are indexed like all others and left out of queries, unless a query has nothing else.
 */

export const ENGLISH_STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does doing done each for from get got had has have having he her here him
   his how i if in into is it its just let lets like may me might more most must my near no nor not of off on once only or other our out over own please s same shall she should so some such t than that the
   their them then there these they this those through to too under until up us very was we were what when where which while who whom whose why will with would you your yours
   am im ive id ll ve re dont doesnt didnt isnt arent wasnt cannot cant want wants wanted need needs know tell show give remember recall say said says thing things something anything
   currently current now today supposed going go ok okay yes hey hi thanks way ways`.split(/\s+/),
);

/** Longest first, so that a longer word is taken out before its parts. */
export const CHINESE_STOP_WORDS: readonly string[] = `为什么 是不是 有没有 能不能 可不可以 怎么样 什么时候 什么样 是什么 有什么 哪一个 我们的 你们的 请问 什么 怎么 怎样 如何 哪个 哪些 哪里 哪儿 哪种 多少 几个 我们 你们 他们 它们 咱们 这个 那个
  这些 那些 这里 那里 可以 应该 需要 是否 还是 或者 以及 因为 所以 但是 如果 已经 目前 现在 关于 对于 一下 一个 时候 请 的 了 是 在 吗 呢 吧 啊 呀 和 与 或 把 被 给 让 对 从 到 为 我 你 他 她 它 这 那 哪 谁 几 也 都 就 还 又 很 要 会 能 有 没 用 里 中 上 下 个 么`
  .split(/\s+/)
  .sort((a, b) => b.length - a.length);
