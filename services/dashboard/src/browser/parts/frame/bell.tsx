import { BellIcon } from '@primer/octicons-react'
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
      <BellIcon size={20} />
      {unread > 0 && <span className="unread">{unread > MOST ? `${MOST}+` : unread}</span>}
    </Link>
  )
}
