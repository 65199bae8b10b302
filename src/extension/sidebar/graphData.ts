/**
 * The part of the entity graph around a focus: the focus, its neighbours, and theirs.
 * Pure; edges are relations, memories stand where a relation came from one.
 */
import type { Relation } from '../../engine/index.ts';
import type { GraphEdge, GraphNode, GraphPage } from '../../protocol/index.ts';

const RINGS = 2;
export const MOST_NODES = 2_000;

export function graphAround(relations: readonly Relation[], entities: readonly { name: string; relations: number }[], wanted: string | undefined): GraphPage {
  const focus = wanted ?? entities.reduce<{ name: string; relations: number } | undefined>((best, entity) => (best === undefined || entity.relations > best.relations ? entity : best), undefined)?.name ?? relations[0]?.subject;
  if (focus === undefined) return { nodes: [], edges: [] };
  const around = new Map<string, Relation[]>();
  for (const relation of relations) {
    for (const end of [relation.subject, relation.object]) around.set(end, [...(around.get(end) ?? []), relation]);
  }
  const rings = new Map<string, number>([[focus, 0]]);
  let frontier = [focus];
  for (let ring = 1; ring <= RINGS; ring += 1) {
    const next: string[] = [];
    for (const name of frontier) {
      for (const { subject, object } of around.get(name) ?? []) {
        const other = subject === name ? object : subject;
        if (rings.has(other) || rings.size >= MOST_NODES) continue;
        rings.set(other, ring);
        next.push(other);
      }
    }
    frontier = next;
  }
  const nodes: GraphNode[] = [...rings].map(([name, ring]) => ({ id: name, label: name, form: 'entity', ring }));
  const edges: GraphEdge[] = relations.filter(({ subject, object }) => rings.has(subject) && rings.has(object)).map(({ subject, predicate, object }) => ({ from: subject, to: object, label: predicate }));
  return { focus, nodes, edges };
}
