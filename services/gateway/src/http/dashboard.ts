/** Everything that the dashboard's application calls. Its cookie is sent to these paths alone. */
export const DASHBOARD_API = '/dashboard/api'

/** True for a call of the dashboard's application: its credential is the cookie, and no header. */
export const isDashboardCall = (path: string): boolean => path.startsWith(`${DASHBOARD_API}/`)
