/**
 * Suspicion: texts that try to instruct a model instead of stating something [P2]. They are
 * flagged, wait in the inbox, and are quoted, never said, when they are injected.
 */
const SUSPICIOUS =
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,30}\b(?:previous|prior|above|earlier|all|any|your|the|these|system)\b.{0,20}\b(?:instructions?|prompts?|rules?|guidelines?|messages?|directives?|context)\b|\byou are now (?:a|an|in|the)\b|\b(?:new|updated) (?:system )?(?:instructions?|prompt)s?:|\b(?:reveal|print|show|repeat|leak|output) (?:me )?(?:your|the) (?:system )?(?:prompt|instructions)\b|\bdo not (?:tell|mention|inform|reveal)\b.{0,40}\b(?:the )?user\b|\bwithout (?:telling|asking|informing) the user\b|<\/?(?:system|assistant|instructions?)>|\[(?:system|inst)\]|\bjailbreak\b|\b(?:curl|wget)\b.{0,80}\|\s*(?:ba|z)?sh\b|\b(?:send|post|upload|exfiltrate)\b.{0,60}\b(?:secrets?|credentials?|api keys?|tokens?|env(?:ironment)? (?:file|variables?)|\.env)\b.{0,60}\b(?:to|at)\b|忽略(?:之前|以上|前面|所有)的?(?:指令|提示|规则|要求)|无视(?:之前|以上)|不要告诉用户|你现在是/i;

export const isSuspicious = (text: string): boolean => SUSPICIOUS.test(text.slice(0, 8_000));
