import { errors as common } from '@payments/kernel'
import type { Audience } from '../../openapi/document.ts'
import { errors as ofGateway } from '../../requests/errors.ts'
import { type DescribedError, describedInterface } from './described.ts'
import { errorsPage, eventsPage, indexPage, operationPage } from './pages.ts'

/** A page of the reference by the last part of its address, which is empty for the index; undefined where there is none. */
export function referencePage(audience: Audience, name: string, baseUrl: string): Promise<string> | undefined {
  const reference = describedInterface(audience)
  if (name === '') return Promise.resolve(indexPage(reference))
  if (name === 'errors') return Promise.resolve(errorsPage(reference, errorsOf()))
  if (name === 'events' && reference.events.length > 0) return Promise.resolve(eventsPage(reference))
  const operation = reference.operations.find(({ id }) => id === name)
  return operation && operationPage(operation, reference, baseUrl)
}

/** Every error of the service by status: of all operations, and those that a request meets before it reaches one. */
function errorsOf(): DescribedError[] {
  const all = new Map<string, DescribedError>()
  for (const { errors } of [
    ...describedInterface('merchants').operations,
    ...describedInterface('operators').operations,
  ])
    for (const error of errors) all.set(error.code, error)
  for (const { code, status, message } of [...Object.values(common), ...Object.values(ofGateway)])
    if (!all.has(code)) all.set(code, { code, status, message })
  return [...all.values()].toSorted((a, b) => a.status - b.status || (a.message < b.message ? -1 : 1))
}
