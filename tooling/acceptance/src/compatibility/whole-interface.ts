import { openApiDocument } from '@payments/gateway'

interface Document {
  readonly paths: Record<string, unknown>
  readonly components: { readonly schemas: Record<string, unknown> }
}

const copyOf = (audience?: 'operators') => JSON.parse(JSON.stringify(openApiDocument(audience))) as Document

/** A copy of both documents as one: the released interface was one. */
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, whose parts tests change
export function wholeInterface(): any {
  const [merchants, operators] = [copyOf(), copyOf('operators')]
  return {
    ...merchants,
    paths: { ...merchants.paths, ...operators.paths },
    components: { schemas: { ...operators.components.schemas, ...merchants.components.schemas } },
  }
}
