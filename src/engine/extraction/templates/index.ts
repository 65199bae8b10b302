/** The prompt templates that ship, newest version last; stored as rows when a model is first used. */
import { extractV1 } from './extractV1.ts';
import { repairV1 } from './repairV1.ts';

export interface ShippedTemplate {
  readonly id: string;
  readonly version: number;
  readonly body: string;
}

export const TEMPLATES: readonly ShippedTemplate[] = [extractV1, repairV1];
export const EXTRACT: ShippedTemplate = extractV1;
export const REPAIR: ShippedTemplate = repairV1;

/** As it stands in provenance. */
export const templateName = (template: ShippedTemplate): string => `${template.id}@${template.version}`;

/** SHA-256 in hex, by the platform's Web Crypto. */
export async function hashTemplate(template: ShippedTemplate): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(template.body));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
