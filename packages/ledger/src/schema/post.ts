/**
 * Posts entries in one round trip. Creates new accounts, then locks all of them, both in the order of their ids, then posts each
 * entry. If an entry with the same key exists, nothing is posted when its digest is the same; otherwise the transaction
 * fails.
 *
 * Runs as the owner of the tables, because a row lock needs UPDATE on accounts, which the service's role does not have.
 * `p_entries` and `p_accounts` hold, for each amount, the number of its entry and of its account (from 1).
 * Returns, for each entry, whether it was posted by this call.
 */
export const post = `create function ledger_post(
    p_organisation uuid, p_environment text,
    p_account_ids uuid[], p_customers uuid[], p_assets text[], p_purposes text[], p_parties text[],
    p_ids uuid[], p_types text[], p_sources uuid[], p_steps text[], p_reverses text[], p_memos text[], p_digests text[],
    p_entries integer[], p_accounts integer[], p_amounts numeric[]
  ) returns boolean[] language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    known_accounts integer;
    known text;
    posted boolean[] := '{}';
  begin
    -- Before any account is locked: who creates one waits for others that create it, and must hold nothing that they lock next.
    select count(*) into known_accounts from ledger_accounts a
      where a.organisation_id = p_organisation and a.environment = p_environment and a.id = any (p_account_ids);
    if known_accounts < cardinality(p_account_ids) then
      insert into ledger_accounts (id, organisation_id, environment, customer_id, asset, purpose, party)
        select n.id, p_organisation, p_environment, n.customer_id, n.asset, n.purpose, n.party
          from unnest(p_account_ids, p_customers, p_assets, p_purposes, p_parties) as n (id, customer_id, asset, purpose, party)
         order by n.id
        on conflict do nothing;
    end if;
    perform from ledger_accounts a
      where a.organisation_id = p_organisation and a.environment = p_environment and a.id = any (p_account_ids)
      order by a.id for no key update;
    for i in 1 .. cardinality(p_ids) loop
      insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, reverses, memo, digest)
        values (p_ids[i], p_organisation, p_environment, p_types[i], p_sources[i], p_steps[i],
          case when p_reverses[i] is not null then
            (select e.id from ledger_entries e
              where e.organisation_id = p_organisation and e.environment = p_environment
                and e.source_type = p_types[i] and e.source_id = p_sources[i] and e.step = p_reverses[i]) end,
          p_memos[i], p_digests[i])
        on conflict (organisation_id, environment, source_type, source_id, step) do nothing;
      if found then
        insert into ledger_postings (organisation_id, environment, entry_id, account_id, asset, amount)
          select p_organisation, p_environment, p_ids[i], p_account_ids[l.account], p_assets[l.account], l.amount
            from unnest(p_entries, p_accounts, p_amounts) as l (entry, account, amount) where l.entry = i;
        if not found then
          raise exception '% % books nothing for %', p_types[i], p_sources[i], p_steps[i]
            using errcode = 'check_violation', table = 'ledger_entries', constraint = 'ledger_entries_not_empty';
        end if;
        posted := posted || true;
      else
        select e.digest into known from ledger_entries e
          where e.organisation_id = p_organisation and e.environment = p_environment
            and e.source_type = p_types[i] and e.source_id = p_sources[i] and e.step = p_steps[i];
        if known is distinct from p_digests[i] then
          raise exception '% % has another entry for %', p_types[i], p_sources[i], p_steps[i]
            using errcode = 'unique_violation', table = 'ledger_entries', constraint = 'ledger_entries_content';
        end if;
        posted := posted || false;
      end if;
    end loop;
    return posted;
  end $$`
