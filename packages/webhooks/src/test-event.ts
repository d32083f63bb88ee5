/** The type of a requested test event. It goes to one endpoint and is not among the events of an organisation. */
export const TEST_EVENT = 'webhook.test'
