import { usePlace } from '../../context.ts'
import { Amount, Empty, Screen, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Environment, Organisation } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

/** Money that nothing says whose it is, or that an organisation cannot be given without a decision. */
export function Suspense() {
  const { api } = usePlace()
  const receipts = useRead(['suspense'], () => api.admin.cngn.suspense.query({}))
  const accounts = useRead(['suspense-accounts'], () => api.admin.ledger.suspense.query({}))
  return (
    <Screen title="Suspense">
      <section aria-label="Transfers">
        <h2>Transfers that no reference ties to one payin</h2>
        <Shown of={receipts}>
          {({ receipts: found }) =>
            found.length === 0 ? (
              <Empty title="No transfer is in suspense">
                <p>A cNGN transfer that could be for several payins, or for none, waits here for your decision.</p>
              </Empty>
            ) : (
              <Table
                label="Transfers in suspense"
                rows={found}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Amount', cell: ({ amount, asset }) => <Amount of={`${amount} ${asset}`} /> },
                  { title: 'Reference', cell: ({ reference }) => <span className="why">{reference}</span> },
                  { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                  { title: 'Organisation', cell: ({ organisationId }) => <Organisation id={organisationId} /> },
                  { title: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
                  {
                    title: 'Action',
                    cell: ({ id, organisationId, reference }) => (
                      <span className="actions">
                        <CommandLink
                          name="admin.cngn.assign"
                          fields={{ receiptId: id, organisationId }}
                          label={`Credit ${reference} to a customer`}
                        >
                          Credit
                        </CommandLink>
                        <CommandLink
                          name="admin.cngn.settleReceipt"
                          fields={{ receiptId: id }}
                          label={`Settle ${reference}`}
                        >
                          Settle
                        </CommandLink>
                      </span>
                    ),
                  },
                ]}
              />
            )
          }
        </Shown>
      </section>
      <section aria-label="Balances">
        <h2>Balances in suspense</h2>
        <Shown of={accounts}>
          {({ accounts: found }) =>
            found.length === 0 ? (
              <Empty title="No organisation has money in suspense">
                <p>
                  What came back to an address of this service, or cannot be delivered, is kept here until you settle
                  it.
                </p>
              </Empty>
            ) : (
              <Table
                label="Balances of organisations"
                rows={found}
                keyOf={({ id }) => id}
                columns={[
                  { title: 'Balance', cell: ({ balance, asset }) => <Amount of={`${balance} ${asset}`} /> },
                  { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                  { title: 'Organisation', cell: ({ organisationId }) => <Organisation id={organisationId} /> },
                  {
                    title: 'Action',
                    cell: ({ organisationId, environment, asset, id }) => (
                      <CommandLink
                        name="admin.ledger.resolveSuspense"
                        fields={{ organisationId, environment, asset }}
                        label={`Move money out of account ${id}`}
                      >
                        Move
                      </CommandLink>
                    ),
                  },
                ]}
              />
            )
          }
        </Shown>
      </section>
    </Screen>
  )
}
