import { useMutation } from '@tanstack/react-query'
import { Link } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { type Notification, notificationsKey, pathOf, useNotifications } from '../../parts/lists/notifications.ts'
import { Empty, Failure, Screen, Skeleton, Time } from '../../parts/parts.tsx'

/** What the user was told, newest first, each with the way to what it is about. */
export default function Inbox() {
  const { environment, api, me } = usePlace()
  const mayRead = !me.organisation.suspendedAt
  const { data, error, refetch } = useNotifications()
  const renew = () => queries.invalidateQueries({ queryKey: notificationsKey(environment) })
  const read = useMutation({
    mutationFn: (notificationId: string) => api.notifications.read.mutate({ notificationId }),
    onSuccess: renew,
  })
  const readAll = useMutation({ mutationFn: () => api.notifications.readAll.mutate({}), onSuccess: renew })
  const unread = data?.notifications.some(({ readAt }) => readAt === null)
  return (
    <Screen
      title="Inbox"
      actions={
        unread && (
          <ChangeButton calls={null} type="button" disabled={readAll.isPending} onClick={() => readAll.mutate()}>
            Mark all as read
          </ChangeButton>
        )
      }
    >
      <Failure error={error ?? readAll.error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data?.notifications.length === 0 && (
        <Empty title="You’re all caught up">
          <p>Payments that arrive, come back or need a decision appear here.</p>
        </Empty>
      )}
      {data && data.notifications.length > 0 && (
        <ul className="rows inbox" aria-label="Notifications">
          {data.notifications.map((each) => (
            <Row key={each.id} of={each} open={() => each.readAt === null && mayRead && read.mutate(each.id)} />
          ))}
        </ul>
      )}
      {data && data.total > data.notifications.length && (
        <p className="hint">
          The newest {data.notifications.length} of {data.total.toLocaleString('en')} are shown.
        </p>
      )}
      <p className="hint">
        <Link href="/settings/notifications">Choose what you see here and what you get by email</Link>
      </p>
    </Screen>
  )
}

function Row({ of, open }: { of: Notification; open: () => void }) {
  return (
    <li className={of.readAt === null ? 'new' : ''}>
      <Link href={pathOf(of)} onClick={open}>
        {of.readAt === null && <span className="hidden">Unread: </span>}
        {of.title}
      </Link>
      <Time at={of.createdAt} />
      <p>{of.body}</p>
    </li>
  )
}
