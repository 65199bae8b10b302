/**
 * Places of the graph's nodes: forces, computed once and then left alone. The same graph
 * gives the same picture; the library's own start positions and randomness are fixed.
 */
import { forceCenter, forceCollide, forceLink, forceManyBody, forceRadial, forceSimulation } from 'd3-force';
import type { SimulationNodeDatum } from 'd3-force';
import type { GraphPage } from '../../src/protocol/index.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

interface Body extends SimulationNodeDatum {
  readonly id: string;
  readonly ring: number;
}

const RING_PX = 140;
/** Enough for small graphs to come to rest; large ones get fewer, so that the page opens at once. */
const STEPS_PER_SIZE = [[200, 200], [600, 90], [Infinity, 40]] as const;

export function layOut(page: GraphPage): Map<string, Point> {
  const bodies: Body[] = page.nodes.map((node) => ({ id: node.id, ring: node.ring }));
  const links = page.edges.map((edge) => ({ source: edge.from, target: edge.to }));
  const simulation = forceSimulation<Body>(bodies)
    .force('links', forceLink<Body, { source: string; target: string }>(links).id((body) => body.id).distance(70))
    .force('charge', forceManyBody().strength(-90))
    .force('rings', forceRadial<Body>((body) => body.ring * RING_PX).strength(0.35))
    .force('collide', forceCollide(14))
    .force('center', forceCenter())
    .stop();
  const steps = STEPS_PER_SIZE.find(([size]) => bodies.length <= size)?.[1] ?? 40;
  simulation.tick(steps);
  return new Map(bodies.map((body) => [body.id, { x: body.x ?? 0, y: body.y ?? 0 }]));
}

/** The neighbour along an edge that lies most in a direction; undefined when none lies that way. */
export function neighbourTowards(page: GraphPage, places: ReadonlyMap<string, Point>, from: string, direction: Point): string | undefined {
  const start = places.get(from);
  if (start === undefined) return undefined;
  let best: { id: string; along: number } | undefined;
  for (const edge of page.edges) {
    const other = edge.from === from ? edge.to : edge.to === from ? edge.from : undefined;
    const place = other === undefined ? undefined : places.get(other);
    if (other === undefined || place === undefined) continue;
    const [dx, dy] = [place.x - start.x, place.y - start.y];
    const along = (dx * direction.x + dy * direction.y) / Math.max(1e-6, Math.hypot(dx, dy));
    if (along > 0.3 && (best === undefined || along > best.along)) best = { id: other, along };
  }
  return best?.id;
}
