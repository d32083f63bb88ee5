import { openApiDocument, type RestOperation } from '@payments/gateway'
import type { Bodies } from './requests.ts'
import type { ApiDocument } from './validity.ts'

/** Both documents in one: operations of merchants and of operators, with the schemas and responses that they share. */
export function wholeDocument(): ApiDocument {
  const [merchants, operators] = (['merchants', 'operators'] as const).map(
    (audience) => JSON.parse(JSON.stringify(openApiDocument(audience))) as ApiDocument,
  ) as [ApiDocument, ApiDocument]
  return {
    paths: { ...merchants.paths, ...operators.paths },
    components: {
      schemas: { ...operators.components.schemas, ...merchants.components.schemas },
      responses: { ...operators.components.responses, ...merchants.components.responses },
    },
  }
}

/** The bodies that a document describes. */
export function bodiesOf(document: ApiDocument): Bodies {
  const content = ({ path, method }: RestOperation) =>
    document.paths[path]?.[method.toLowerCase()]?.requestBody?.content?.['application/json']
  return {
    components: document.components.schemas,
    schema: (operation) => content(operation)?.schema,
    example: (operation) => content(operation)?.example,
    query({ path, method }, name) {
      const parameters = document.paths[path]?.[method.toLowerCase()]?.parameters
      const found = parameters?.find((each) => each.in === 'query' && each.name === name)
      return found?.example ?? found?.schema.example
    },
  }
}
