import { useMutation } from '@tanstack/react-query'
import { Route, Router, Switch, useLocation } from 'wouter'
import { clients, queries, type Session, session, signOut } from '../api.ts'
import { PlaceContext, usePlace } from '../context.ts'
import { navigateAfterPaint } from '../parts/frame/after-paint.ts'
import { Find } from '../parts/frame/find.tsx'
import { Loaded, Nowhere } from '../parts/frame/loaded.tsx'
import { Navigation, sectionIn } from '../parts/frame/navigation.tsx'
import { WithSession } from '../parts/frame/session.tsx'
import { Failure } from '../parts/parts.tsx'
import { SignIn } from '../screens/session/sign-in.tsx'
import { moneyScreens } from './money/index.ts'
import { useChanges } from './parts/reads.tsx'
import { sections } from './sections.ts'
import { serviceScreens } from './service/index.ts'
import { workScreens } from './work/index.ts'

const SCREENS = [...workScreens, ...moneyScreens, ...serviceScreens]

/** The operators' console: the sign-in, the page for everyone who is no operator, or the screens. */
export default function Console() {
  return (
    <WithSession>
      {({ session: me, mail, hasEnded }) => {
        if (!me) return <SignIn mail={mail} hasEnded={hasEnded} operators />
        if (me.organisation.role !== 'operator') return <NoOperator me={me} />
        return (
          <Router base="/console" aroundNav={navigateAfterPaint}>
            {/* Procedures of operators act in no environment: each names the one of its object. */}
            <PlaceContext value={{ environment: 'test', api: clients.test, me }}>
              <Frame />
            </PlaceContext>
          </Router>
        )
      }}
    </WithSession>
  )
}

/** The search for a text in all organisations. */
const resultOf = (text: string): string => `/search?text=${encodeURIComponent(text)}`

/** What surrounds every screen. */
function Frame() {
  const { me } = usePlace()
  const [location] = useLocation()
  useChanges()
  return (
    <div className="app console">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <strong className="organisation">Operators’ console</strong>
        <Find placeholder="Id, hash, address, email …" resultOf={resultOf} />
        <span className="account">{me.user.email}</span>
        <SignOut />
      </header>
      <p className="environment">
        What you do here changes the objects and the money of merchants, in test and in live
      </p>
      <Navigation
        key={location}
        sections={sections}
        section={location.startsWith('/objects/') ? '/search' : sectionIn(sections, location)}
      >
        <a href="/dashboard">Dashboard</a>
      </Navigation>
      <main id="content" tabIndex={-1}>
        <Loaded at={location}>
          <Switch>
            {SCREENS.map(([path, screen]) => (
              <Route key={path} path={path} component={screen} />
            ))}
            <Route component={Nowhere} />
          </Switch>
        </Loaded>
      </main>
    </div>
  )
}

function SignOut() {
  const end = useMutation({
    mutationFn: () => signOut('/console', false),
  })
  return (
    <>
      <button type="button" className="quiet" disabled={end.isPending} onClick={() => end.mutate()}>
        Sign out
      </button>
      <Failure error={end.error} />
    </>
  )
}

/** Says who the console is for, and leads elsewhere. No call of it would be answered. */
function NoOperator({ me }: { me: NonNullable<Session['session']> }) {
  const operators = me.organisations.find(({ role }) => role === 'operator')
  const change = useMutation({ mutationFn: session.switchTo, onSuccess: () => queries.resetQueries() })
  return (
    <main className="alone">
      <h1>For operators only</h1>
      <p>
        You are signed in as {me.user.email} in {me.organisation.name}. The console is for the operators of this
        service.
      </p>
      <Failure error={change.error} />
      {operators && (
        <button
          type="button"
          className="primary"
          disabled={change.isPending}
          onClick={() => change.mutate(operators.id)}
        >
          Continue as an operator
        </button>
      )}
      <a href="/dashboard">Go to your dashboard</a>
      <SignOut />
    </main>
  )
}
