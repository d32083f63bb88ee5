import { Route, Switch } from 'wouter'
import { Keys } from './keys.tsx'
import { Endpoint, Webhooks } from './webhooks.tsx'

/** What the merchant's engineers need: keys and webhooks. */
export default function DeveloperScreens() {
  return (
    <Switch>
      <Route path="/keys" component={Keys} />
      <Route path="/webhooks" component={Webhooks} />
      <Route path="/webhooks/:id">{({ id }) => <Endpoint id={id} />}</Route>
    </Switch>
  )
}
