# The story of the other clients, written against a generated one: a customer, a route for it, a deposit that arrives, the transaction in
# the list, and an error with its message.
import os
import secrets
import uuid

import openapi_client as api
from openapi_client.rest import ApiException

EMAIL = "ada@example.com"
configuration = api.Configuration(host=os.environ["API_URL"])
configuration.access_token = os.environ["API_KEY"]
client = api.ApiClient(configuration)
customers, routes, sandbox = api.CustomersApi(client), api.PaymentRoutesApi(client), api.SandboxApi(client)


def once():
    return {"idempotency_key": str(uuid.uuid4())}


def create():
    return customers.customers_create(api.CustomersCreateRequest(name="Ada Obi", email=EMAIL), **once()).data


customer = create()
request = api.PaymentRoutesCreateRequest(
    name="Treasury",
    origin_chain_key="ethereum",
    destination_chain_key="base",
    destination_currency="USDC",
    destination_address="0x" + secrets.token_hex(20),
    customer_id=customer.id,
)
route = routes.payment_routes_create(request, **once()).data
assert routes.payment_routes_get(route.id).data.customer_id == customer.id
sandbox.sandbox_payment_routes_deposit(
    route.id, api.SandboxPaymentRoutesDepositRequest(amount="12.50"), **once()
)
sandbox.sandbox_advance(api.SandboxAdvanceRequest(seconds=60), **once())
routes.payment_routes_sync_deposits(route.id, **once())
listed = api.TransactionsApi(client).transactions_list(customer_id=customer.id).data.transactions
print(next(each.amount for each in listed if each.kind == "payment_route"))
try:
    create()
except ApiException as error:
    print(error.status, error.body)
