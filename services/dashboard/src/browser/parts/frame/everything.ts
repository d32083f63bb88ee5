import type { Outputs } from '@payments/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { usePlace } from '../../context.ts'

export type Result = Outputs['search']['find']['results'][number]

/** A text is searched for once nothing was typed for so long, ms. */
const PAUSE = 150

/** The text once it stands still. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setSettled, PAUSE, text)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** What a text finds in the environment, at most `limit` of each kind. */
export function useEverything(text: string, limit: number) {
  const { environment, api } = usePlace()
  return useQuery({
    queryKey: [environment, 'everything', text, limit],
    queryFn: () => api.search.find.query({ text, limit }),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  })
}

/** What the kinds of objects are called, in the order in which they are shown, and where each is. */
const KINDS: Readonly<Record<string, readonly [title: string, path: string]>> = {
  customer: ['Customers', '/customers'],
  collection: ['Collections', '/collections'],
  checkout_session: ['Payments', '/transactions'],
  offramp: ['Offramps', '/objects'],
  onramp: ['Onramps', '/objects'],
  swap: ['Swaps', '/objects'],
  cngn_transfer: ['cNGN', '/objects'],
  payment_route: ['Payment routes', '/objects'],
  payment_route_deposit: ['Deposits', '/objects'],
  webhook_endpoint: ['Webhook endpoints', '/webhooks'],
}

/** The address of what was found. A payment that nothing has arrived for is on its collection alone. */
export const resultPath = ({ resource, id, status }: Result): string =>
  resource === 'checkout_session' && ['awaiting_payment', 'cancelled'].includes(status ?? '')
    ? `/collections/${id}`
    : `${KINDS[resource]?.[1] ?? '/objects'}/${id}`

/** Results by what they are. */
export const groupsOf = (results: readonly Result[]): readonly (readonly [title: string, of: readonly Result[]])[] =>
  Object.entries(KINDS).flatMap(([kind, [title]]) => {
    const of = results.filter(({ resource }) => resource === kind)
    return of.length > 0 ? [[title, of] as const] : []
  })
