import { readFileSync } from 'node:fs'
import type { Audience, Json } from '@payments/gateway'

const files: Readonly<Record<Audience, URL>> = {
  merchants: new URL('../../../docs/derived/openapi.json', import.meta.url),
  operators: new URL('../../../docs/derived/openapi-operators.json', import.meta.url),
}
const known = new Map<Audience, Json>()

/** The document for an audience as `npm run derive` has written it, which the service serves. */
export function derivedDocument(audience: Audience): Json {
  const document = known.get(audience) ?? (JSON.parse(readFileSync(files[audience], 'utf8')) as Json)
  known.set(audience, document)
  return document
}
