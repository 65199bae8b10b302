/**
 * The frame of a request to remember, around the statement that is to be remembered: "From now on always remember
 * that ...", "请记住：...". A memory is the statement; two that differ in their frame alone are one.
 */
const ENGLISH = /^(?:(?:ok(?:ay)?|hey|hi|also|and|so|please|pls|always|from now on|going forward)[,:!]? )*(?:(?:can|could|would|will) you (?:please )?|i(?:'d| would) like you to |i (?:want|need) you to |you (?:must|should|need to|have to) )?(?:always )?(?:remember|memori[sz]e|(?:keep|bear) in mind|(?:make|take) a (?:mental )?note|note(?: to self)?|(?:don'?t|do not|never) forget|(?:save|store|add|write|put|commit) (?:(?:this|it|that|the following) )?(?:to|in|into) (?:your |the )?memory)(?: (?:that|this|the following|for (?:later|the future|next time)))*(?:\s*[:,–—-]\s*|\s+)(?=\S)(?!(?:to|how|when|what|why|who|whom|where|whether|if|it|and|or)\b)/i;
const CHINESE = /^(?:(?:好的?|那么?|另外|还有|对了|麻烦你?|请你?|帮我|你要|你得|从现在(?:开始|起)|从今(?:以后|往后)|今后|务必|一定要|永远|始终)[，,：:\s]*)*(?:(?:把(?:这个|这点|这条)?)?(?:记住|牢记|记下来?|记一下|记录一下|备忘(?:一下)?|别忘(?:了|记)?|不要忘记)|(?:记|存|加|写|保存|添加)(?:到|进|入)(?:你的)?记忆(?:里|中|库)?)(?:一下|这一?点|这个|这条|了)*[，,：:。\s]*(?=\S.)/u;

/** The text without such a frame, as long as a statement is left. */
export function withoutFrame(text: string): string {
  const trimmed = text.trim();
  const bare = trimmed.replace(ENGLISH, '').replace(CHINESE, '').trim();
  return /[\p{L}\p{N}].*[\p{L}\p{N}]/su.test(bare) ? bare : trimmed;
}
