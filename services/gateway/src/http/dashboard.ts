/** Everything that the dashboard's application calls. Its cookie is sent to these paths alone. */
export const DASHBOARD_API = '/dashboard/api'

/** True for a call of the dashboard's application: its credential is the cookie, and no header. */
export const isDashboardCall = (path: string): boolean => path.startsWith(`${DASHBOARD_API}/`)

/** Streams for open tabs, by path: what happens in the organisation, and for the console in any. */
export const STREAMS: Readonly<Record<string, string>> = {
  [`${DASHBOARD_API}/events`]: 'events.stream',
  [`${DASHBOARD_API}/changes`]: 'admin.webhooks.changes',
}
/** Files that the API makes, for the dashboard. */
export const FILES = `${DASHBOARD_API}/files`
