import { usePlace } from '../../context.ts'
import { Amount, Empty, Screen, Time } from '../../parts/parts.tsx'
import { Table } from '../../parts/table.tsx'
import { CommandLink, Environment } from '../parts/facts.tsx'
import { Shown, useRead } from '../parts/reads.tsx'

const cngn = (amount: string) => <Amount of={`${amount} cNGN`} />

/** What the provider has of cNGN against what the journal says. */
export function Treasury() {
  const { api } = usePlace()
  const treasury = useRead(['treasury'], () => api.admin.cngn.treasury.query({}))
  return (
    <Screen title="Treasury">
      <Shown of={treasury}>
        {({ treasuries }) =>
          treasuries.length === 0 ? (
            <Empty title="Nothing was compared yet">
              <p>The balance at the provider of cNGN is compared with the journal every few minutes.</p>
            </Empty>
          ) : (
            <Table
              label="Treasury and journal"
              rows={treasuries}
              keyOf={({ environment }) => environment}
              columns={[
                { title: 'Environment', cell: ({ environment }) => <Environment of={environment} /> },
                { title: 'At the provider', numeric: true, cell: ({ balance }) => cngn(balance) },
                { title: 'In the journal', numeric: true, cell: ({ journal }) => cngn(journal) },
                { title: 'Leaving', numeric: true, cell: ({ leaving }) => cngn(leaving) },
                { title: 'Arriving', numeric: true, cell: ({ arriving }) => cngn(arriving) },
                { title: 'Difference', numeric: true, cell: ({ difference }) => cngn(difference) },
                {
                  title: 'Differs since',
                  cell: ({ differsSince }) => (differsSince ? <Time at={differsSince} /> : '–'),
                },
                { title: 'Compared', cell: ({ checkedAt }) => <Time at={checkedAt} /> },
                {
                  title: 'Action',
                  cell: ({ environment, difference, differsSince }) =>
                    differsSince ? (
                      <CommandLink
                        name="admin.cngn.bookTreasury"
                        fields={{ environment, amount: difference }}
                        label={`Book the difference of ${environment}`}
                      >
                        Book the difference
                      </CommandLink>
                    ) : (
                      '–'
                    ),
                },
              ]}
            />
          )
        }
      </Shown>
    </Screen>
  )
}
