import { useEffect } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { clients, type Environment, environments, queries, session } from './api.ts'
import { PlaceContext, usePlace } from './context.ts'
import { watch } from './live/stream.ts'
import { navigateAfterPaint } from './parts/frame/after-paint.ts'
import { Bell } from './parts/frame/bell.tsx'
import { FindEverything } from './parts/frame/find-everything.tsx'
import { Navigation } from './parts/frame/navigation.tsx'
import { WithSession } from './parts/frame/session.tsx'
import { Time } from './parts/parts.tsx'
import { limitsOf } from './parts/rights.ts'
import { Screens } from './screens/index.tsx'
import { sectionOf, sections } from './screens/sections.ts'
import { SignIn } from './screens/session/sign-in.tsx'

const BASE = '/dashboard'

/** The application: the sign-in, or the screens of one environment. */
export function App() {
  return (
    <WithSession>
      {({ session: me, mail, hasEnded }) => {
        if (!me) return <SignIn mail={mail} hasEnded={hasEnded} />
        return (
          <Router base={BASE} aroundNav={navigateAfterPaint}>
            <Switch>
              {environments.map((environment) => (
                <Route key={environment} path={`/${environment}`} nest>
                  <PlaceContext value={{ environment, api: clients[environment], me }}>
                    <Frame />
                  </PlaceContext>
                </Route>
              ))}
              {/* The command line cannot know which environment will be chosen. */}
              <Route path="/cli">
                <Redirect to={`/test/cli${location.search}`} replace />
              </Route>
              <Route>
                <Redirect to="/test" replace />
              </Route>
            </Switch>
          </Router>
        )
      }}
    </WithSession>
  )
}

/** What surrounds every screen: organisation, environment, navigation. */
function Frame() {
  const { environment, me } = usePlace()
  const [location] = useLocation()
  const section = sectionOf(location)
  const limits = limitsOf(me.organisation.role)
  useEffect(() => watch(environment), [environment])
  return (
    <div className={`app ${environment}`}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <Organisation />
        <Environments section={section} current={environment} />
        <FindEverything />
        <Bell isOpen={location === '/inbox'} />
        <Link href="/account" className="account">
          {me.user.email}
        </Link>
      </header>
      <p className="environment">
        {environment === 'test' ? 'Test: no money moves' : 'Live: everything here moves real money'}
      </p>
      <Navigation
        key={location}
        sections={sections}
        section={['/account', '/inbox', '/search'].includes(location) ? '' : section}
      >
        {me.organisation.role === 'operator' && <a href="/console">Operators’ console</a>}
      </Navigation>
      <main id="content" tabIndex={-1}>
        <Suspension since={me.organisation.suspendedAt} />
        {limits && <p className="hint">{limits}</p>}
        <Screens />
      </main>
    </div>
  )
}

/** What a suspended organisation can do, said before anybody presses a button that the API refuses. */
function Suspension({ since }: { since: string | null }) {
  if (since === null) return null
  return (
    <p className="suspended" role="status">
      <strong>Suspended</strong> since <Time at={since} />. You can read everything, and revoke keys and sessions; every
      other change is refused. Contact the operators of this service.
    </p>
  )
}

/** The organisation of the session, and the way to another one. */
function Organisation() {
  const { me } = usePlace()
  if (me.organisations.length < 2) return <strong className="organisation">{me.organisation.name}</strong>
  return (
    <select
      className="organisation"
      aria-label="Organisation"
      value={me.organisation.id}
      onChange={({ target }) => void session.switchTo(target.value).then(() => queries.resetQueries())}
    >
      {me.organisations.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

function Environments({ section, current }: { section: string; current: Environment }) {
  return (
    <nav className="environments" aria-label="Environment">
      {environments.map((each) => (
        <Link key={each} href={`~${BASE}/${each}${section}`} aria-current={each === current ? 'true' : undefined}>
          {each === 'test' ? 'Test' : 'Live'}
        </Link>
      ))}
    </nav>
  )
}
