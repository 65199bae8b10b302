/**
 * The door of transcripts/: Claude Code's session files as episodes and turns. Knows no store.
 */
export { formatCursor, parseCursor, type TranscriptCursor } from './cursor.ts';
export { episodeId, readTranscript, type ReadTranscriptOptions, type TranscriptReading, type TranscriptStats } from './readTranscript.ts';
export { lastAnswer, recentTurns, type LastAnswer } from './recentTurns.ts';
export { replayedUuids } from './replays.ts';
export { daysLeft, DEFAULT_RETENTION_DAYS, readRetentionDays } from './retention.ts';
export { belongsTo, findSessionFile, isInside, projectsFolder, readSessionCwd, sessionFilesOf, subagentFilesOf, type SessionFile } from './sessionFiles.ts';
export { cleanSpeech } from './speech.ts';
export { SessionWatcher, type WatcherOptions } from './watcher.ts';
