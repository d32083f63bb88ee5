import type { Outputs } from '@payments/client'
import { memo, type ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { queries } from '../../api.ts'
import { usePlace } from '../../context.ts'
import { asMoney, words } from '../../parts/format.ts'
import { ChangeButton } from '../../parts/forms/change.tsx'
import { Missing, useMissing } from '../../parts/frame/missing.tsx'
import { AMOUNTS, CREATED, CUSTOMER, optionsOf, useAddress } from '../../parts/lists/address.ts'
import { Found, useFound } from '../../parts/lists/found.tsx'
import { filtersIn, findTransactions, TEXT } from '../../parts/lists/transactions.ts'
import { listedStatus } from '../../parts/object/sentences.ts'
import { Amount, Dialog, Empty, Screen, Status, Time } from '../../parts/parts.tsx'
import { NONE, Table } from '../../parts/table.tsx'
import { CngnTabs } from './cngn-tabs.tsx'
import type { AnyKind } from './kind.ts'

type Transactions = readonly Outputs['transactions']['search']['transactions'][number][]

/** A title in the middle of a sentence. */
const inSentence = (title: string): string => title.replace(/^(?!cNGN)./, (first) => first.toLowerCase())

/** The payments of a kind, filtered by what the address says, and the form of a new one. */
export function PaymentList({ kind }: { kind: AnyKind }) {
  const { environment } = usePlace()
  const { search, change } = useAddress()
  const [, navigate] = useLocation()
  const { create: making, List } = kind
  const none = (
    <Empty title={`No ${inSentence(kind.title)} yet`}>
      <p>{kind.teaches}</p>
    </Empty>
  )
  const missing = useMissing(kind.needs)
  const create = making && missing === undefined && (
    <ChangeButton calls={making.calls} type="button" className="primary" onClick={() => change({ new: '1' })}>
      New {kind.one}
    </ChangeButton>
  )
  return (
    <Screen title={kind.title} actions={create}>
      {kind.path.startsWith('/cngn/') && <CngnTabs />}
      <Missing of={kind.needs} />
      {List ? <List none={none} /> : <Listed kind={kind} none={none} />}
      {create && search.has('new') && (
        <Dialog title={`New ${kind.one}`} close={() => change({ new: '' }, { replace: true })}>
          <making.Form
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

/** The payments of a kind of transactions. */
function Listed({ kind, none }: { kind: AnyKind; none: ReactNode }) {
  const { api } = usePlace()
  const { search } = useAddress()
  const { kind: name, assets = [] } = kind.transactions ?? {}
  const { kinds: _, networks: __, ...filters } = filtersIn(search)
  const found = useFound({
    name: kind.path,
    filters,
    read: (input) => findTransactions(api, { ...input, ...(name ? { kinds: [name] } : {}) }),
  })
  return (
    <Found
      of={found}
      one={kind.one}
      many={inSentence(kind.title)}
      placeholder={TEXT.placeholder}
      filters={[
        { name: 'status', label: 'Status', options: optionsOf(Object.keys(kind.states), words) },
        ...(assets.length > 1 ? [{ name: 'asset', label: 'Asset', options: optionsOf(assets, String) }] : []),
        CUSTOMER,
        ...AMOUNTS,
        ...CREATED,
      ]}
      none={none}
      hint={<p>{TEXT.hint}</p>}
    >
      {(rows) => <PaymentTable kind={kind} rows={rows} />}
    </Found>
  )
}

/** Drawn again only for others, as the table of transactions is. */
const PaymentTable = memo(({ kind, rows }: { kind: AnyKind; rows: Transactions }) => (
  <Table
    label={kind.title}
    rows={rows}
    keyOf={({ id }) => id}
    columns={[
      {
        title: 'Amount',
        cell: ({ id, amount }) => (
          <Link href={`${kind.path}/${id}`}>
            {kind.transactions?.zero && amount.startsWith('0 ') ? (
              kind.transactions.zero
            ) : (
              <Amount of={asMoney(amount)} />
            )}
          </Link>
        ),
      },
      { title: 'Status', cell: (each) => <Status of={listedStatus(each)} /> },
      { title: 'To', cell: ({ destination }) => <span className="to">{destination}</span> },
      { title: 'Customer', cell: ({ customerName }) => customerName || NONE },
      { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
))
