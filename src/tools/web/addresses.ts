import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { ToolError } from '../tool.ts';

export type AddressRule = (address: string) => boolean;

function networks(listed: string): BlockList {
  const list = new BlockList();
  for (const each of listed.split(' ')) {
    const [network = '', prefix] = each.split('/');
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** The part of IPv6 that is for the public. The exceptions below carry IPv4 addresses or are for documentation. */
const assigned = networks('2000::/3');

/**
 * What is not the public internet: loopback, private, link-local, shared, documentation, multicast, and tunnels (IANA's
 * registries of special-purpose addresses); and the one public address at which Azure answers its virtual machines only.
 */
const notPublic = networks(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 ' +
    '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 ' +
    '2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);

export const isPublic: AddressRule = (address) => {
  if (isIP(address) === 4) return !notPublic.check(address, 'ipv4');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return isPublic(mapped);
  return isIP(address) === 6 && assigned.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
};

/** The connection goes to the very addresses that were checked, since a second answer of the DNS might be another. */
export function checkedLookup(rule: AddressRule): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const refused = addresses.find(({ address }) => !rule(address));
      if (refused !== undefined) return callback(refusal(hostname, refused.address), []);
      const [first] = addresses;
      // Node takes the first one without looking whether there is one.
      if (first === undefined) return callback(new ToolError(`${hostname} has no address`), []);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** Checks a host name that is an address, since Node does not look it up. @throws `ToolError` if the rule refuses it */
export function checkLiteral(hostname: string, rule: AddressRule): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !rule(address)) throw refusal(hostname, address);
}

const refusal = (hostname: string, address: string): ToolError =>
  new ToolError(`${hostname} is not on the public internet (${address}), and nothing else is fetched`);
