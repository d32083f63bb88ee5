export { Inbox as default } from './inbox.tsx'
