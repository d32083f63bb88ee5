/**
 * The statements of the specification (`payments-service-api.md`), by section. `conforms` makes one test of each statement
 * that is built; `missing` lists those that no code serves yet.
 */
export interface Statement {
  readonly section: string
  readonly text: string
}

const section = <const T extends Record<string, string>>(name: string, texts: T): { [K in keyof T]: Statement } =>
  Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, { section: name, text }])) as {
    [K in keyof T]: Statement
  }

export const statements = {
  ...section('What the service does', {
    tenancy: 'Every business resource belongs to an organisation; a key or session acts for one organisation',
    health: 'GET /health is outside /v1, needs no authentication and returns status, env and ts',
    https: 'Production traffic must use HTTPS',
    jsonBodies: 'Request bodies are JSON with Content-Type: application/json',
  }),
  ...section('Resources: response envelope', {
    envelopeStatus: 'status is success for 2xx and error for 4xx/5xx',
    envelopeMessage: 'message is human-readable text',
    envelopeData: 'data is the payload of the operation on success',
    envelopeErrors: 'errors is present only on 422 validation failures and maps a field name to a message',
  }),
  ...section('Resources: transaction', {
    transactionFields: 'A transaction has id, customerName, status, destination and amount as text',
    transactionKind: 'kind is one of the ten kinds',
    transactionCustomer: 'customerId is a UUID or null',
    transactionUsd: 'amountUsd is decimal text or null',
    transactionCreated: 'createdAt is a date-time',
    transactionReceipt: 'receipt is an object',
    routeReceipt: 'The receipt of a payment_route entry has its type, ids, names, status, both legs and depositTxHash',
    receiptAmounts: 'All amounts inside the receipt are strings',
    transactionList: 'The list has transactions and an integer total',
  }),
  ...section('Resources: payment route', {
    routeFields:
      'A route is created from name, originChainKey, destinationChainKey, destinationCurrency and destinationAddress',
    routeId: 'A payment route has a UUID id',
    discovery: 'Discovery endpoints show network keys and symbols only, never internal chain ids',
  }),
  ...section('Resources: customer', { customerId: 'A customer has a UUID id and an email address' }),
  ...section('Resources: webhook endpoint', {
    endpointFields: 'An endpoint has a UUID id, its url and its events',
    endpointHttps: 'url is HTTPS only; private, loopback and link-local targets are rejected',
    endpointEvents: 'events is an allowlist; omitted or null means all event types',
    endpointSecret: 'secret has the prefix whsec_ and is returned once, on create and on rotate',
  }),
  ...section('Resources: off-ramp object', { offrampObject: 'The fields of the single lookup, in snake_case' }),
  ...section('Resources: list responses', { lists: 'A list has one named array and an integer total' }),
  ...section('Resources: path identifiers', { pathIds: 'Path identifiers are UUIDs of the service' }),
  ...section('States and transitions', {
    offrampStates: 'pending, processing, settled, delivered, failed',
    routeConflict: 'A payment route that is already active yields 409 on the conflicting operation',
    updatedEvents: 'Every later status change emits an updated event with previousStatus; on creation it is null',
  }),
  ...section('Endpoints', {
    getTransactions: 'GET /transactions (api:read), optional customerId, at most 200, newest first',
    getCustomers: 'GET /customers (api:read): all customers, createdAt descending, with total',
    postCustomers: 'POST /customers (api:write) returns the created customer',
    getRoutes: 'GET /payment-routes (api:read): createdAt descending, with total',
    postRoutes: 'POST /payment-routes (api:write) returns the created route; the message names creation',
    getRoute: 'GET /payment-routes/{paymentRouteId} (api:read) returns one route',
    deleteRoute: 'DELETE /payment-routes/{paymentRouteId} (api:write) returns a result envelope',
    syncDeposits: 'POST /payment-routes/{paymentRouteId}/deposits/sync (api:write) returns a result envelope',
    getDeposits: 'GET /payment-routes/deposits (api:read): at most 200, relayUpdatedAt descending',
    offramps: 'GET (api:read, optional customerId) and POST /offramps (api:write), GET /offramp/{id} (api:read)',
    onramps: 'GET (api:read, optional customerId) and POST /onramps (api:write)',
    fiat: 'GET and POST /fiat/…: currencies, banks, account verification, sell quotes',
    getNotifications: 'GET /notifications (api:read) returns in-app notifications',
    postWebhooks: 'POST /webhooks (api:write) returns the endpoint with its one-time secret',
    getWebhooks: 'GET /webhooks (api:read) returns the endpoints',
    getWebhook: 'GET /webhooks/{webhookEndpointId} (api:read) returns the endpoint',
    patchWebhook: 'PATCH /webhooks/{webhookEndpointId} (api:write) returns the updated endpoint',
    rotateSecret: 'POST /webhooks/{webhookEndpointId}/rotate-secret (api:write) returns a new one-time secret',
    deleteWebhook: 'DELETE /webhooks/{webhookEndpointId} (api:write) is a soft revoke',
    getDeliveries: 'GET /webhooks/{webhookEndpointId}/deliveries (api:read) returns the delivery history',
    testWebhook: 'POST /webhooks/{webhookEndpointId}/test (api:write) sends webhook.test to that endpoint',
    eventTypes: 'GET /webhooks/event-types (api:read) returns the event type list',
    sessionOnly: '/v1/auth/*, /v1/api-keys/* and /v1/admin/ops/* are not reachable with an API key',
    operatorsOnly: '/v1/admin/ops/* is not for organisations',
  }),
  ...section('Authentication', {
    bearer: 'API keys and dashboard JWTs are sent as Authorization: Bearer',
    keyPrefixes: 'svc_test_ and svc_live_ keys select the environment',
    keyLayout: 'A key has a 9-character prefix, an 8-character lookup part and a 24-character secret part',
    keyMasked: 'The dashboard shows a masked key that ends in its last four characters',
    keyOnce: 'A key is created by a session only, and the full key is shown once',
    keyChoices: 'Environment and access (read, write or both) are chosen at creation',
    writeImpliesRead: 'api:write implies read',
    legacyScopes: 'Legacy scopes keep working: any legacy write is full write, any legacy read full read',
    sessionsFull: 'Sessions have full access to business routes without scopes and without an idempotency key',
    oneTimeCode: 'Login uses an email and a one-time code and yields a short-lived access token',
    keyHeader: 'Every POST, PUT, PATCH and DELETE with an API key requires Idempotency-Key',
    noToken: 'No token sent: 401 No token provided',
    invalidKey: 'API key unknown, invalid, expired or revoked: 401 Invalid API key',
    invalidToken: 'JWT invalid or expired: 401 Token invalid or expired',
    missingScopes: 'Valid key without the scope: 403 Missing required scopes: <scope list>',
    missingKeyHeader: 'Mutating request with an API key and no Idempotency-Key: 400',
  }),
  ...section('Events: registration', {
    tenSeconds: 'The receiver must answer within about 10 seconds',
    acknowledged:
      'The receiver answers with a 2xx status; failed deliveries are retried with exponential backoff, up to 8 attempts',
    testRegardless: 'webhook.test is delivered even if it is not in the allowlist',
    secretHidden: 'The raw secret is visible only on create and rotate',
  }),
  ...section('Events: delivery', {
    deliveryHeaders: 'Deliveries have Content-Type, X-Service-Event, -Delivery, -Timestamp and -Signature',
    signature: 'v1 is the hexadecimal HMAC-SHA256 of timestamp, dot and raw body, keyed with the secret',
    payload: 'The payload has id, type, created and data with id, status and previousStatus',
  }),
  ...section('Events: types', {
    catalogue: 'The catalogue has the families of the specification',
    routeEvents: 'Creation emits payment_route.created and every later status change payment_route.updated',
    depositEvents: 'Deposits emit payment_route.deposit.updated',
    fiatEvents: 'Offramps and onramps emit created and updated; offramp.settled and offramp.delivered are sent beside',
  }),
  ...section('Swaps', {
    cancelSwap: 'A swap in awaiting_deposit can be cancelled, which emits an updated event',
    getSwaps: 'GET /swaps needs api:read and lists swaps',
    postSwaps: 'POST /swaps needs api:write and returns the created swap',
    getRates: 'GET /rates needs api:read and returns indicative Solana quotes',
    swapEvents: 'Creation emits swap.created and every later status change swap.updated, also expiry',
  }),
  ...section('Payment links', {
    getCollections: 'GET /collections needs api:read and lists payment links',
    postCollections: 'POST /collections needs api:write and returns the created payment link',
    getPay: 'GET /pay/{collectionId} is public and returns the data of the pay page',
    postPay: 'POST /pay/{collectionId} is public and carries out a checkout action',
    payIdentifiers: '{collectionId} is a parent link, invoice, checkout parent or checkout session id',
    embedTheme:
      'data has linkId and embedConfig (layout, accentColor, hideBrandFooter); a session returns its parent’s theme',
    embedConfigPublic: 'GET /pay/{collectionId}/embed-config needs no authentication',
    publishable:
      'Publishable keys hold only collections:read: they read pay pages and cannot create or change anything',
    collectionEvents: 'Creation emits collection.created and every later status change collection.updated, also expiry',
    collectionTransaction: 'A paid link is a transaction of kind collection in the unified ledger',
  }),
  ...section('cNGN', {
    bvn: 'bvn is required and has 11 digits; email and phoneNumber are optional',
    emailDefault: 'email defaults to the email address of the customer',
    enablement: 'The response is 200 with the standard envelope and starts the enablement',
    customerEnabled: 'cngn.customer.enabled is emitted once when the identity is verified and the names match',
    customerFailed: 'cngn.customer.failed is emitted once on failure, also for customer_name_bvn_mismatch',
    cngn: 'GET and POST /cngn/*: lists accept customerId, reads need api:read and writes api:write',
    cngnEvents: 'Each cNGN object emits created, and updated on every later status change',
  }),
  ...section('Errors', {
    error400: '400: bad request, such as a missing Idempotency-Key',
    error401: '401: invalid or missing credentials',
    error403: '403: missing scope or suspended organisation',
    error404: '404: resource not found (Payment route not found)',
    error409: '409: conflict',
    error422: '422: Validation failed with errors',
    error429: '429: rate limit exceeded',
    error500: '500: server error, in the envelope',
    failedNotStored: 'A failed request is not stored: the same key can be used again',
    noRateHeaders: 'No X-RateLimit-* headers are returned',
  }),
  ...section('Limits', {
    globalRate: '200 requests per 15 minutes and IP on all routes',
    authRate: '20 requests per 15 minutes on /v1/auth/*',
    keyLength: 'Idempotency-Key has at most 255 characters: else 422 with its message',
    idempotencyMatch: 'Same key, organisation, method and path returns the stored response, even if the body differs',
    retention: 'The stored response is kept for 24 hours, configurable',
    transactionsCap: 'GET /transactions returns at most 200 items, newest first',
    depositsCap: 'GET /payment-routes/deposits returns at most 200 items',
    completeLists: 'GET /customers and GET /payment-routes return all records',
    noFilters: 'Lists do not filter by query parameters other than customerId, and have no cursor or page parameters',
  }),
  ...section('Versioning', {
    prefix: 'Every business route is prefixed /v1',
    breakingChanges:
      'Breaking changes ship under a new version path: under /v1, all that interface version 1.0.0 promised is kept',
    interfaceVersion: 'The machine-readable description carries interface version 1.0.0',
    oneAddress: 'Test and live share one address; the key prefix selects the environment',
  }),
} as const satisfies Record<string, Statement>

export type StatementId = keyof typeof statements

/** What the specification states and no code serves yet: nothing is left. */
export const missing: readonly Statement[] = []
