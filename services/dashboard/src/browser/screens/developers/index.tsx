import { Route, Switch } from 'wouter'
import { CommandLine } from './command-line.tsx'
import { Event, Events } from './events.tsx'
import { Keys } from './keys.tsx'
import { Request, Requests } from './requests.tsx'
import { Endpoint, Webhooks } from './webhooks.tsx'

/** What the merchant's engineers need: keys, webhooks, events and the request log. */
export default function DeveloperScreens() {
  return (
    <Switch>
      <Route path="/keys" component={Keys} />
      <Route path="/cli" component={CommandLine} />
      <Route path="/webhooks" component={Webhooks} />
      <Route path="/webhooks/:id">{({ id }) => <Endpoint id={id} />}</Route>
      <Route path="/events" component={Events} />
      <Route path="/events/:id">{({ id }) => <Event id={id} />}</Route>
      <Route path="/requests" component={Requests} />
      <Route path="/requests/:id">{({ id }) => <Request id={id} />}</Route>
    </Switch>
  )
}
