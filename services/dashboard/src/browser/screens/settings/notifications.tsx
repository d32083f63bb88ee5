import { useMutation, useQuery } from '@tanstack/react-query'
import { clients, queries } from '../../api.ts'
import { ChangeInput } from '../../parts/forms/change.tsx'
import { Failure, Screen, Skeleton } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { SettingsTabs } from './tabs.tsx'

const { notifications } = clients.test
const KEY = ['notification-preferences']

/** What the user sees here and gets as an email. Each change is saved at once. */
export function Notifications() {
  const { data, error, refetch } = useQuery({ queryKey: KEY, queryFn: () => notifications.preferences.query({}) })
  const change = useMutation({
    mutationFn: (preference: { type: string; inApp?: boolean; email?: boolean }) =>
      notifications.changePreferences.mutate({ preferences: [preference] }),
    onSuccess: (preferences) => queries.setQueryData(KEY, preferences),
  })
  const box = (type: string, way: 'inApp' | 'email', checked: boolean, label: string) => (
    <ChangeInput
      calls={null}
      type="checkbox"
      className="box"
      aria-label={label}
      checked={checked}
      disabled={change.isPending}
      onChange={({ target }) => change.mutate({ type, [way]: target.checked })}
    />
  )
  return (
    <Screen title="Notifications">
      <SettingsTabs />
      <Failure error={error ?? change.error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={8} />}
      {data && (
        <Table
          numbers
          label="Notifications"
          rows={data.preferences}
          keyOf={({ type }) => type}
          columns={[
            { title: 'What happened', cell: ({ description }) => <span className="sentence">{description}</span> },
            {
              title: 'Here',
              cell: ({ type, inApp, description }) => box(type, 'inApp', inApp, `Show here: ${description}`),
            },
            {
              title: 'By email',
              cell: ({ type, email, description }) => box(type, 'email', email, `Send by email: ${description}`),
            },
          ]}
        />
      )}
      <p className="hint">These settings apply only to you.</p>
    </Screen>
  )
}
