import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { clients, type Environment, environments, queries, session } from './api.ts'
import { PlaceContext, usePlace } from './context.ts'
import { watch } from './live.ts'
import { Empty, Failure, Screen, Skeleton } from './parts/parts.tsx'
import { Account } from './screens/account.tsx'
import { Collection } from './screens/collection.tsx'
import { Collections } from './screens/collections.tsx'
import { Keys } from './screens/keys.tsx'
import { Overview } from './screens/overview.tsx'
import { SignIn } from './screens/sign-in.tsx'
import { Transaction } from './screens/transaction.tsx'
import { Transactions } from './screens/transactions.tsx'
import { Endpoint, Webhooks } from './screens/webhooks.tsx'

const BASE = '/dashboard'

/** The application: the sign-in, or the screens of one environment. */
export function App() {
  const { data, error, refetch } = useQuery({ queryKey: ['session'], queryFn: session.read })
  if (error)
    return (
      <main className="alone">
        <Failure error={error} retry={() => void refetch()} />
      </main>
    )
  if (!data)
    return (
      <main className="alone">
        <Skeleton />
      </main>
    )
  if (!data.session) return <SignIn mail={data.mail} />
  return (
    <Router base={BASE}>
      <Switch>
        {environments.map((environment) => (
          <Route key={environment} path={`/${environment}`} nest>
            <PlaceContext value={{ environment, api: clients[environment], me: data.session as never }}>
              <Screens />
            </PlaceContext>
          </Route>
        ))}
        <Route>
          <Redirect to="/test" replace />
        </Route>
      </Switch>
    </Router>
  )
}

const SECTIONS = [
  ['/', 'Overview'],
  ['/transactions', 'Transactions'],
  ['/collections', 'Collections'],
  ['/keys', 'API keys'],
  ['/webhooks', 'Webhooks'],
] as const

function Screens() {
  const { environment, me } = usePlace()
  const [location] = useLocation()
  useEffect(() => watch(environment), [environment])
  const section = SECTIONS.findLast(([path]) => location === path || location.startsWith(`${path}/`)) ?? SECTIONS[0]
  return (
    <div className={`app ${environment}`}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <Organisation />
        <Environments section={section[0]} current={environment} />
        <Link href="/account" className="account">
          {me.user.email}
        </Link>
      </header>
      <p className="environment">
        {environment === 'test' ? 'Test: no money moves' : 'Live: everything here moves real money'}
      </p>
      <nav aria-label="Sections">
        {SECTIONS.map(([path, name]) => (
          <Link
            key={path}
            href={path}
            aria-current={section[0] === path && location !== '/account' ? 'page' : undefined}
          >
            {name}
          </Link>
        ))}
        <a href="/docs">Documentation</a>
      </nav>
      <main id="content" tabIndex={-1}>
        <Switch>
          <Route path="/" component={Overview} />
          <Route path="/transactions" component={Transactions} />
          <Route path="/transactions/:id">{({ id }) => <Transaction id={id} />}</Route>
          <Route path="/collections" component={Collections} />
          <Route path="/collections/:id">{({ id }) => <Collection id={id} />}</Route>
          <Route path="/keys" component={Keys} />
          <Route path="/webhooks" component={Webhooks} />
          <Route path="/webhooks/:id">{({ id }) => <Endpoint id={id} />}</Route>
          <Route path="/account" component={Account} />
          <Route>
            <Screen title="Not found">
              <Empty title="There is nothing at this address">
                <p>
                  <Link href="/">Go to the overview</Link>
                </p>
              </Empty>
            </Screen>
          </Route>
        </Switch>
      </main>
    </div>
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
