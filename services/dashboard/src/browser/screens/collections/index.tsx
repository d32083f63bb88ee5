import { Route, Switch } from 'wouter'
import { Collection } from './collection.tsx'
import { Collections } from './collections.tsx'
import { NewInvoice } from './invoices/invoice.tsx'

/** Payment links, invoices and checkouts. */
export default function CollectionScreens() {
  return (
    <Switch>
      <Route path="/collections" component={Collections} />
      <Route path="/collections/new-invoice" component={NewInvoice} />
      <Route path="/collections/:id">{({ id }) => <Collection id={id} />}</Route>
    </Switch>
  )
}
