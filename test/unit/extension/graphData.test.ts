import { describe, expect, it } from 'vitest';
import { graphAround } from '../../../src/extension/sidebar/graphData.ts';
import { sampleId, sampleMemory } from '../../support/builders.ts';

const related = (subject: string, predicate: string, object: string, memoryId?: string) => ({ id: sampleId(), subject, predicate, object, createdAt: 0, ...(memoryId === undefined ? {} : { memoryId }) });
const memory = sampleMemory({ text: 'Mia owns billing and reviews every change to invoices, whoever wrote them' });
const source = {
  relations: [related('billing', 'owned by', 'Mia', memory.id), related('invoices', 'part of', 'billing', memory.id), related('billing', 'calls', 'orders'), related('orders', 'uses', 'PostgreSQL'), related('PostgreSQL', 'runs on', 'db-1'), related('billing', 'calls', 'orders')],
  entities: [{ name: 'orders', relations: 2 }, { name: 'billing', relations: 3 }],
  memories: [memory],
};
const ringsOf = (focus?: string) => Object.fromEntries(graphAround(source, focus).nodes.map((node) => [node.id, node.ring]));

describe('the graph around a focus', () => {
  it('starts at the entity with most relations, and ends two steps from it', () => {
    expect(ringsOf()).toEqual({ billing: 0, Mia: 1, [memory.id]: 1, invoices: 1, orders: 1, PostgreSQL: 2 });
  });

  it('links a memory once to each entity that it speaks of', () => {
    const { edges } = graphAround(source, undefined);
    expect(edges.filter(({ from }) => from === memory.id).map(({ to }) => to).sort()).toEqual(['Mia', 'billing', 'invoices']);
  });

  it('draws once what several memories say', () => {
    expect(graphAround(source, undefined).edges.filter(({ label }) => label === 'calls')).toHaveLength(1);
  });

  it('takes a memory as the focus, and names it by its first words', () => {
    const page = graphAround(source, memory.id);
    expect(page.focus).toBe(memory.id);
    expect(page.nodes[0]).toMatchObject({ form: 'memory', kind: memory.kind, ring: 0, label: 'Mia owns billing and reviews every change to invoices,…' });
  });

  it('falls back where the focus is gone, and is empty where nothing is linked', () => {
    expect(graphAround(source, 'nobody').focus).toBe('billing');
    expect(graphAround({ relations: [], entities: [], memories: [] }, undefined)).toEqual({ nodes: [], edges: [] });
  });
});
