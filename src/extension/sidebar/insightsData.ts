/**
 * From the numbers of `insights` to what the page draws: four numbers with their trend,
 * and charts as labelled series. Pure.
 */
import * as vscode from 'vscode';
import type { InsightsOutput } from '../../operations/index.ts';
import type { Chart, InsightsPage, Series } from '../../protocol/index.ts';
import { kindWord } from '../kindWords.ts';

const MIB = 1_048_576;

const percent = (rate: number): string => `${Math.round(rate * 100)} %`;

export function insightsPageOf(from: InsightsOutput): InsightsPage {
  const months = [...new Set(from.byKindAndMonth.map(({ month }) => month))].sort();
  const kinds = [...new Set(from.byKindAndMonth.map(({ kind }) => kind))];
  const { before } = from;
  const said = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part !== undefined).join(' · ');
  const byKind: Series[] = kinds.map((kind) => ({ name: kindWord(kind), points: months.map((month) => ({ label: month, value: from.byKindAndMonth.find((cell) => cell.month === month && cell.kind === kind)?.count ?? 0 })) }));
  const one = (name: string, points: Series['points']): Series[] => [{ name, points }];
  const charts: Chart[] = [
    { id: 'kinds', title: vscode.l10n.t('Memories by kind and month'), form: 'stacked', unit: vscode.l10n.t('memories'), series: byKind },
    { id: 'recalls', title: vscode.l10n.t('Given to Claude per week'), form: 'bars', unit: vscode.l10n.t('memories'), series: one(vscode.l10n.t('memories'), from.givenPerWeek.map(({ week, memories }) => ({ label: week, value: memories }))) },
    { id: 'tokens', title: vscode.l10n.t('Tokens given per week'), form: 'bars', unit: vscode.l10n.t('tokens'), series: one(vscode.l10n.t('tokens'), from.givenPerWeek.map(({ week, tokens }) => ({ label: week, value: tokens }))) },
    { id: 'top', title: vscode.l10n.t('Recalled most'), form: 'list', unit: vscode.l10n.t('times'), series: one(vscode.l10n.t('times'), from.topRecalled.map(({ text, recallCount }) => ({ label: text, value: recallCount }))) },
    { id: 'use', title: vscode.l10n.t('Whether memories are recalled'), form: 'list', unit: vscode.l10n.t('memories'), series: one(vscode.l10n.t('memories'), [
      { label: vscode.l10n.t('in the last 30 days'), value: from.recalledLast30Days },
      { label: vscode.l10n.t('before'), value: from.memories - from.recalledLast30Days - from.neverRecalled },
      { label: vscode.l10n.t('never'), value: from.neverRecalled },
    ]) },
    { id: 'outcomes', title: vscode.l10n.t('What became of proposals'), form: 'list', unit: vscode.l10n.t('proposals'), series: one(vscode.l10n.t('proposals'), [
      { label: vscode.l10n.t('accepted'), value: from.outcomes.accepted }, { label: vscode.l10n.t('merged'), value: from.outcomes.merged },
      { label: vscode.l10n.t('rejected'), value: from.outcomes.rejected }, { label: vscode.l10n.t('waiting'), value: from.outcomes.waiting },
    ]) },
    { id: 'spend', title: vscode.l10n.t('Spend per day (cap {0} USD)', from.capUsd), form: 'bars', unit: 'USD', ...(from.capUsd > 0 ? { limit: from.capUsd } : {}), series: one('USD', from.spendByDay.map(({ day, usd }) => ({ label: day, value: usd }))) },
    ...(from.rulePrecision.length === 0 ? [] : [{ id: 'rules', title: vscode.l10n.t('Accepted by rule'), form: 'list' as const, unit: '%', series: one('%', from.rulePrecision.map(({ rule, accepted, rejected }) => ({ label: rule, value: Math.round((100 * accepted) / Math.max(1, accepted + rejected)) }))) }]),
    { id: 'storage', title: vscode.l10n.t('Storage'), form: 'list', unit: 'MiB', series: one('MiB', [{ label: vscode.l10n.t('stores'), value: Math.round((from.storeSizeBytes / MIB) * 10) / 10 }]) },
  ];
  return {
    numbers: [
      { id: 'memories', title: vscode.l10n.t('memories'), value: from.memories.toLocaleString(vscode.env.language), trend: vscode.l10n.t('{0} new in 30 days', from.newLast30Days) },
      { id: 'recalled', title: vscode.l10n.t('recalled in 30 days'), value: from.recalledLast30Days.toLocaleString(vscode.env.language), trend: said(before.recalled === undefined ? undefined : vscode.l10n.t('{0} in the 30 days before', before.recalled), vscode.l10n.t('{0} never', from.neverRecalled)) },
      { id: 'accepted', title: vscode.l10n.t('proposals accepted'), value: from.acceptedRate === undefined ? '–' : percent(from.acceptedRate), trend: said(before.acceptedRate === undefined ? undefined : vscode.l10n.t('{0} a month ago', percent(before.acceptedRate)), vscode.l10n.t('{0} waiting', from.outcomes.waiting)) },
      { id: 'tokens', title: vscode.l10n.t('tokens per session'), value: from.tokensPerSession === undefined ? '–' : from.tokensPerSession.toLocaleString(vscode.env.language), trend: said(before.tokensPerSession === undefined ? undefined : vscode.l10n.t('{0} a month ago', before.tokensPerSession.toLocaleString(vscode.env.language)), from.savedTokens === undefined || from.savedTokens === 0 ? undefined : vscode.l10n.t('about {0} saved in all against giving everything', from.savedTokens.toLocaleString(vscode.env.language))) },
    ],
    charts,
  };
}
