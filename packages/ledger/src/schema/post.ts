/** What both versions of the function are given and return. */
const PARAMETERS = `    p_organisation uuid, p_environment text,
    p_account_ids uuid[], p_customers uuid[], p_assets text[], p_purposes text[], p_parties text[],
    p_ids uuid[], p_types text[], p_sources uuid[], p_steps text[], p_reverses text[], p_memos text[], p_digests text[],
    p_entries integer[], p_accounts integer[], p_amounts numeric[]
  ) returns boolean[] language plpgsql security definer set search_path = public, pg_temp as $$
`

/** Creates new accounts, then locks all of them, both in the order of their ids. */
const LOCK_ACCOUNTS = `    -- Before any account is locked: who creates one waits for others that create it, and must hold nothing that they lock next.
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
`

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
${PARAMETERS}  declare
    known_accounts integer;
    known text;
    posted boolean[] := '{}';
  begin
${LOCK_ACCOUNTS}    for i in 1 .. cardinality(p_ids) loop
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

/**
 * The same function, which inserts all entries of a call with one statement and their postings with another, so that triggers check, sum and count them once. An
 * entry that reverses another one of the same call finds it there. Balances are checked after all entries of the call, which are one transaction.
 */
export const postTogether = `create or replace function ledger_post(
${PARAMETERS}  declare
    known_accounts integer;
    fresh uuid[];
    wrong record;
  begin
${LOCK_ACCOUNTS}    with given as materialized (
      select * from unnest(p_ids, p_types, p_sources, p_steps, p_reverses, p_memos, p_digests) with ordinality
        as g (id, type, source, step, reverses, memo, digest, place)
    ), added as (
      insert into ledger_entries (id, organisation_id, environment, source_type, source_id, step, reverses, memo, digest)
        select g.id, p_organisation, p_environment, g.type, g.source, g.step,
          case when g.reverses is not null then coalesce(
            (select e.id from ledger_entries e
              where e.organisation_id = p_organisation and e.environment = p_environment
                and e.source_type = g.type and e.source_id = g.source and e.step = g.reverses),
            (select o.id from given o
              where o.type = g.type and o.source = g.source and o.step = g.reverses and o.place < g.place order by o.place limit 1)) end,
          g.memo, g.digest
          from given g order by g.place
        on conflict (organisation_id, environment, source_type, source_id, step) do nothing
        returning id)
      select coalesce(array_agg(id), '{}') into fresh from added;
    if cardinality(fresh) < cardinality(p_ids) then
      select p_types[i] as type, p_sources[i] as source, p_steps[i] as step into wrong
        from generate_subscripts(p_ids, 1) i
        left join ledger_entries e on e.organisation_id = p_organisation and e.environment = p_environment
          and e.source_type = p_types[i] and e.source_id = p_sources[i] and e.step = p_steps[i]
       where p_ids[i] <> all (fresh) and e.digest is distinct from p_digests[i] order by i limit 1;
      if found then
        raise exception '% % has another entry for %', wrong.type, wrong.source, wrong.step
          using errcode = 'unique_violation', table = 'ledger_entries', constraint = 'ledger_entries_content';
      end if;
    end if;
    select p_types[i] as type, p_sources[i] as source, p_steps[i] as step into wrong
      from generate_subscripts(p_ids, 1) i where p_ids[i] = any (fresh) and i <> all (p_entries) order by i limit 1;
    if found then
      raise exception '% % books nothing for %', wrong.type, wrong.source, wrong.step
        using errcode = 'check_violation', table = 'ledger_entries', constraint = 'ledger_entries_not_empty';
    end if;
    if cardinality(fresh) > 0 then
      insert into ledger_postings (organisation_id, environment, entry_id, account_id, asset, amount)
        select p_organisation, p_environment, p_ids[l.entry], p_account_ids[l.account], p_assets[l.account], l.amount
          from unnest(p_entries, p_accounts, p_amounts) with ordinality as l (entry, account, amount, place)
         where p_ids[l.entry] = any (fresh) order by l.place;
    end if;
    return array(select p_ids[i] = any (fresh) from generate_subscripts(p_ids, 1) i order by i);
  end $$`
