# The story of the other clients, written against a generated one: a customer, a route for it, a deposit that arrives, the transaction in
# the list, and an error with its message.
require 'openapi_client'
require 'securerandom'
require 'uri'

include OpenapiClient

EMAIL = 'ada@example.com'
OpenapiClient.configure do |config|
  url = URI(ENV.fetch('API_URL'))
  config.scheme = url.scheme
  config.host = "#{url.host}:#{url.port}"
  config.base_path = url.path
  config.access_token = ENV.fetch('API_KEY')
end
customers = CustomersApi.new
routes = PaymentRoutesApi.new
sandbox = SandboxApi.new
once = -> { { idempotency_key: SecureRandom.uuid } }
create = -> { customers.customers_create(CustomersCreateRequest.new(name: 'Ada Obi', email: EMAIL), once.call).data }

customer = create.call
request = PaymentRoutesCreateRequest.new(
  name: 'Treasury',
  origin_chain_key: 'ethereum',
  destination_chain_key: 'base',
  destination_currency: 'USDC',
  destination_address: "0x#{SecureRandom.hex 20}",
  customer_id: customer.id
)
route = routes.payment_routes_create(request, once.call).data
raise 'another customer' unless routes.payment_routes_get(route.id).data.customer_id == customer.id

sandbox.sandbox_payment_routes_deposit(route.id, SandboxPaymentRoutesDepositRequest.new(amount: '12.50'), once.call)
sandbox.sandbox_advance(SandboxAdvanceRequest.new(seconds: 60), once.call)
routes.payment_routes_sync_deposits(route.id, once.call)
listed = TransactionsApi.new.transactions_list(customer_id: customer.id).data.transactions
puts listed.find { |each| each.kind == 'payment_route' }.amount
begin
  create.call
rescue ApiError => e
  puts e.code, e.response_body
end
