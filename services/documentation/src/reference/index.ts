import { everyDomain } from '@payments/api'
import type { Audience } from '@payments/gateway'
import { everyError } from '@payments/gateway'
import { describedInterface } from '../described.ts'
import { errorsPage, eventsPage, indexPage, operationPage } from './pages.ts'

const pages = everyDomain.flatMap(({ api }) => api?.pages ?? [])

/** A page of the reference by the last part of its address, which is empty for the index; undefined where there is none. */
export function referencePage(audience: Audience, name: string, baseUrl: string): Promise<string> | undefined {
  const reference = describedInterface(audience)
  if (name === '') return Promise.resolve(indexPage(reference))
  if (name === 'errors') return Promise.resolve(errorsPage(reference, everyError(), pages))
  if (name === 'events' && reference.events.length > 0) return Promise.resolve(eventsPage(reference))
  const operation = reference.operations.find(({ id }) => id === name)
  return operation && operationPage(operation, reference, baseUrl)
}
