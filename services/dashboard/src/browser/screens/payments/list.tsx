import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearchParams } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { Amount, Dialog, Empty, Failure, Screen, Skeleton, Status, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CngnTabs } from './cngn-tabs.tsx'
import type { AnyKind } from './kind.ts'

/** The payments of a kind, newest first, and the form of a new one. */
export function PaymentList({ kind }: { kind: AnyKind }) {
  const { environment, api } = usePlace()
  const [search, setSearch] = useSearchParams()
  const [, navigate] = useLocation()
  const { data, error, refetch } = useQuery({
    queryKey: [environment, 'payments', kind.path],
    queryFn: () => kind.list(api),
  })
  const { Form } = kind
  const rows = data?.rows.map((row) => kind.summary(row)) ?? []
  const create = Form && (
    <button type="button" className="primary" onClick={() => setSearch({ new: '1' })}>
      New {kind.one}
    </button>
  )
  return (
    <Screen title={kind.title} actions={create}>
      {kind.path.startsWith('/cngn/') && <CngnTabs />}
      <Failure error={error} retry={() => void refetch()} />
      {!data && !error && <Skeleton lines={6} />}
      {data && rows.length === 0 && (
        <Empty title={`No ${kind.title.replace(/^(?!cNGN)./, (first) => first.toLowerCase())} yet`}>
          <p>{kind.teaches}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <Table
          label={kind.title}
          rows={rows}
          keyOf={({ id }) => id}
          columns={[
            {
              title: rows.some(({ amount }) => amount) ? 'Amount' : 'Name',
              cell: ({ id, amount, name }) => (
                <Link href={`${kind.path}/${id}`}>{amount ? <Amount of={amount} /> : name}</Link>
              ),
            },
            { title: 'Status', cell: ({ status }) => <Status of={status} /> },
            { title: 'To', cell: ({ to }) => <span className="to">{to}</span> },
            { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
      {data && data.total > rows.length && (
        <p className="hint">
          The newest {rows.length} of {data.total.toLocaleString('en')}.{' '}
          <Link href={`/transactions?kind=${kind.one.toLowerCase().replace(' ', '_')}`}>Search all of them</Link>
        </p>
      )}
      {Form && search.has('new') && (
        <Dialog title={`New ${kind.one}`} close={() => setSearch({}, { replace: true })}>
          <Form
            done={(id) => {
              void queries.invalidateQueries({ queryKey: [environment] })
              navigate(`${kind.path}/${id}`)
            }}
          />
        </Dialog>
      )}
    </Screen>
  )
}
