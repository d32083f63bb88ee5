import { Redirect, Route, Switch } from 'wouter'
import { Account } from './account.tsx'
import { Brand } from './brand/branding.tsx'
import { Notifications } from './notifications.tsx'
import { Payments } from './payments.tsx'
import { Team } from './team.tsx'

/** What holds for the organisation and for the user. */
export default function SettingsScreens() {
  return (
    <Switch>
      <Route path="/account" component={Account} />
      <Route path="/settings/team" component={Team} />
      <Route path="/settings/notifications" component={Notifications} />
      <Route path="/settings/payments" component={Payments} />
      <Route path="/settings/branding" component={Brand} />
      <Route>
        <Redirect to="/settings/team" replace />
      </Route>
    </Switch>
  )
}
