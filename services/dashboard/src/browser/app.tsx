import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect } from 'react'
import { Link, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { clients, type Environment, environments, queries, session } from './api.ts'
import { PlaceContext, usePlace } from './context.ts'
import { watch } from './live.ts'
import { Navigation } from './parts/navigation.tsx'
import { Failure, Skeleton } from './parts/parts.tsx'
import { Screens } from './screens/index.tsx'
import { sectionOf, sections } from './screens/sections.ts'
import { SignIn } from './screens/session/sign-in.tsx'

const BASE = '/dashboard'
const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

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
              <Frame />
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

/** What surrounds every screen: organisation, environment, navigation. */
function Frame() {
  const { environment, me } = usePlace()
  const [location] = useLocation()
  const section = sectionOf(location)
  useEffect(() => watch(environment), [environment])
  return (
    <div className={`app ${environment}`}>
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <Organisation />
        <Environments section={section} current={environment} />
        <Find />
        <Link href="/account" className="account">
          {me.user.email}
        </Link>
      </header>
      <p className="environment">
        {environment === 'test' ? 'Test: no money moves' : 'Live: everything here moves real money'}
      </p>
      <Navigation key={location} sections={sections} section={location === '/account' ? '' : section}>
        {me.organisation.role === 'operator' && <a href="/console">Operators’ console</a>}
      </Navigation>
      <main id="content" tabIndex={-1}>
        <Screens />
      </main>
    </div>
  )
}

/** Finds an object by its id, and transactions by anything else, from every screen. */
function Find() {
  const [, navigate] = useLocation()
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const text = String(new FormData(form).get('find') ?? '').trim()
    if (text) navigate(ID.test(text) ? `/objects/${text}` : `/transactions?text=${encodeURIComponent(text)}`)
    form.reset()
  }
  return (
    <form className="find" onSubmit={find}>
      <input name="find" type="search" aria-label="Find anything" placeholder="Find by id, hash, email …" />
    </form>
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
