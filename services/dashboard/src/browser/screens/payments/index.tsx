import { Redirect, Route, Switch } from 'wouter'
import { Anything } from './anything.tsx'
import { kinds } from './kinds/index.ts'
import { PaymentList } from './list.tsx'
import { PaymentScreen } from './object.tsx'

/** Every kind of payment: its list, its form, and one of it from creation to end. */
export default function PaymentScreens() {
  return (
    <Switch>
      {kinds.flatMap((kind) => [
        <Route key={kind.path} path={kind.path}>
          <PaymentList key={kind.path} kind={kind} />
        </Route>,
        <Route key={`${kind.path}/:id`} path={`${kind.path}/:id`}>
          {({ id = '' }: { id?: string }) => <PaymentScreen key={id} kind={kind} id={id} />}
        </Route>,
      ])}
      <Route path="/cngn">
        <Redirect to="/cngn/payins" replace />
      </Route>
      <Route path="/objects/:id">{({ id }) => <Anything key={id} id={id} />}</Route>
    </Switch>
  )
}
