import { openApiDocument } from '@payments/gateway'

interface Document {
  readonly paths: Record<string, unknown>
  readonly components: { readonly schemas: Record<string, unknown> }
}

/** Both documents as one, which takes half a second to make. */
let whole: string | undefined

/** A copy of both documents as one: the released interface was one. */
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document, whose parts tests change
export function wholeInterface(): any {
  whole ??= JSON.stringify(bothDocuments())
  return JSON.parse(whole)
}

function bothDocuments(): Document {
  const [merchants, operators] = [openApiDocument('merchants'), openApiDocument('operators')] as unknown as [
    Document,
    Document,
  ]
  return {
    ...merchants,
    paths: { ...merchants.paths, ...operators.paths },
    components: { schemas: { ...operators.components.schemas, ...merchants.components.schemas } },
  }
}
