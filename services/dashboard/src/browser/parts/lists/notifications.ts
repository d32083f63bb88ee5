import type { Outputs } from '@payments/client'
import { useQuery } from '@tanstack/react-query'
import { usePlace } from '../../context.ts'

export type Notification = Outputs['notifications']['list']['notifications'][number]

/** Under which the notifications of an environment are kept. */
export const notificationsKey = (environment: string) => [environment, 'notifications']

/** The newest notifications that the user wants to see here, read again whenever something happens. */
export function useNotifications() {
  const { environment, api } = usePlace()
  return useQuery({
    queryKey: notificationsKey(environment),
    queryFn: () => api.notifications.list.query({}),
  })
}

/** Where the object of a notification is shown, by its type; any other is found by its id. */
const PATHS: Readonly<Record<string, (id: string) => string | undefined>> = {
  checkout_session: (id) => `/collections/${id}`,
  collection: (id) => `/collections/${id}`,
  link: (id) => `/collections/${id}`,
  invoice: (id) => `/collections/${id}`,
  checkout: (id) => `/collections/${id}`,
  customer: (id) => `/customers/${id}`,
  webhook_endpoint: (id) => `/webhooks/${id}`,
  api_key: () => '/keys',
  organisation: () => '/settings/team',
  user: () => '/account',
  membership: () => '/settings/team',
  invitation: () => '/settings/team',
}

/** The address of what a notification is about. */
export const pathOf = ({ resource: { type, id } }: Notification): string => {
  const path = PATHS[type]
  return path?.(id) ?? `/objects/${id}`
}
