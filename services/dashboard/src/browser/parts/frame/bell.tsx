import { Link } from 'wouter'
import { useNotifications } from '../lists/notifications.ts'

/** More than this is not counted: the list has the newest 200. */
const MOST = 99

/** The way to the inbox, and how many of its notifications the user has not read. */
export function Bell({ isOpen }: { isOpen: boolean }) {
  const { data } = useNotifications()
  const unread = data?.notifications.filter(({ readAt }) => readAt === null).length ?? 0
  return (
    <Link
      href="/inbox"
      className="bell"
      aria-label={unread > 0 ? `Inbox, ${unread} unread` : 'Inbox'}
      aria-current={isOpen ? 'page' : undefined}
    >
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M6 16V10a6 6 0 0 1 12 0v6l1.5 2h-15zM10 20.5a2 2 0 0 0 4 0" />
      </svg>
      {unread > 0 && <span className="unread">{unread > MOST ? `${MOST}+` : unread}</span>}
    </Link>
  )
}
