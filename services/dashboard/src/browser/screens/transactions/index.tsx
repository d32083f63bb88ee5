import { Route, Switch } from 'wouter'
import { Transaction } from './transaction.tsx'
import { Transactions } from './transactions.tsx'

/** Everything that moved money. */
export default function TransactionScreens() {
  return (
    <Switch>
      <Route path="/transactions" component={Transactions} />
      <Route path="/transactions/:id">{({ id }) => <Transaction id={id} />}</Route>
    </Switch>
  )
}
