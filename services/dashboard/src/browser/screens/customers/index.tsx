import { Route, Switch } from 'wouter'
import { Customer } from './customer.tsx'
import { Customers } from './customers.tsx'

/** The customers of the organisation. */
export default function CustomerScreens() {
  return (
    <Switch>
      <Route path="/customers" component={Customers} />
      <Route path="/customers/:id">{({ id }) => <Customer key={id} id={id} />}</Route>
    </Switch>
  )
}
