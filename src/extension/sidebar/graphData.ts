/**
 * The part of the graph around a focus: the focus, its neighbours, and theirs. Pure.
 * Entities are linked by relations; a memory that says a relation is linked to both ends.
 */
import { beginningOf } from '../../engine/index.ts';
import type { Memory, Relation } from '../../engine/index.ts';
import type { GraphEdge, GraphNode, GraphPage } from '../../protocol/index.ts';

const RINGS = 2;
export const MOST_NODES = 2_000;
const LABEL_LENGTH = 60;

export interface GraphSource {
  readonly relations: readonly Relation[];
  readonly entities: readonly { readonly name: string; readonly relations: number }[];
  /** Those that relations come from, as far as they are still there. */
  readonly memories: readonly Memory[];
}

export function graphAround({ relations, entities, memories }: GraphSource, wanted: string | undefined): GraphPage {
  const saying = new Map(memories.map((memory) => [memory.id, memory]));
  const said = new Map<string, GraphEdge>();
  for (const { subject, object, memoryId } of relations) {
    if (memoryId === undefined || !saying.has(memoryId)) continue;
    for (const to of [subject, object]) said.set(`${memoryId} ${to}`, { from: memoryId, to, label: '' });
  }
  const stated = new Map(relations.map(({ subject, predicate, object }) => [`${subject} ${predicate} ${object}`, { from: subject, to: object, label: predicate }]));
  const edges: GraphEdge[] = [...stated.values(), ...said.values()];
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const most = entities.reduce<{ name: string; relations: number } | undefined>((best, entity) => (best === undefined || entity.relations > best.relations ? entity : best), undefined);
  const focus = wanted !== undefined && neighbours.has(wanted) ? wanted : (most?.name ?? relations[0]?.subject);
  if (focus === undefined) return { nodes: [], edges: [] };
  const rings = new Map<string, number>([[focus, 0]]);
  let frontier = [focus];
  for (let ring = 1; ring <= RINGS; ring += 1) {
    const next = new Set(frontier.flatMap((name) => neighbours.get(name) ?? []).filter((name) => !rings.has(name)));
    frontier = [...next].slice(0, MOST_NODES - rings.size);
    for (const name of frontier) rings.set(name, ring);
  }
  return { focus, nodes: [...rings].map(([id, ring]) => nodeOf(id, ring, saying.get(id))), edges: edges.filter(({ from, to }) => rings.has(from) && rings.has(to)) };
}

function nodeOf(id: string, ring: number, memory: Memory | undefined): GraphNode {
  if (memory === undefined) return { id, label: id, form: 'entity', ring };
  const text = memory.text.replaceAll(/\s+/g, ' ');
  const label = beginningOf(text, LABEL_LENGTH);
  return { id, label: label.length < text.length ? `${label}…` : label, form: 'memory', kind: memory.kind, ring };
}
