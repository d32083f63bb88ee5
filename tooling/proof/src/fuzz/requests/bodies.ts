import type { RestOperation } from '@payments/gateway'
import type { ApiDocument } from '../../documents/document.ts'
import type { Bodies } from './requests.ts'

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
