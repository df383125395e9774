import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.parse>;
type Subnet = [Address, number];

/** Tells whether a call may go to an address, written as a resolver or `URL.hostname` writes it. */
export type IsAllowed = (address: string) => boolean;

/** IPv4 subnets that are not reachable from the internet and that ipaddr.js takes for ordinary ones. */
const UNLISTED_V4 = ['198.18.0.0/15'].map((text) => ipaddr.parseCIDR(text));

/** Global unicast, the only part of IPv6 with public addresses. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/** What is not public in it: protocols such as Teredo, documentation, and 6to4, which carries an IPv4 address along. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((text) =>
  ipaddr.parseCIDR(text),
);

const isWithin = (address: Address, subnet: Subnet): boolean =>
  // ipaddr.js types each kind apart; addresses of two kinds have no common subnet.
  address.kind() === subnet[0].kind() && (address as ipaddr.IPv6).match(subnet as [ipaddr.IPv6, number]);

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') {
    return address.range() === 'unicast' && !UNLISTED_V4.some((subnet) => isWithin(address, subnet));
  }
  return isWithin(address, GLOBAL_V6) && !SPECIAL_V6.some((subnet) => isWithin(address, subnet));
}

/** Parses an address; an IPv4 address that is mapped into IPv6 counts as what it is. */
function parseAddress(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** Parses a subnet, or an address alone. */
function parseSubnet(text: string): Subnet {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.parse(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/**
 * Creates the check of addresses: public ones pass, and those of the subnets that an operator has opened.
 *
 * @param allowed Addresses and subnets, as in `127.0.0.1` and `10.0.0.0/8`.
 */
export function createAddressCheck(allowed: readonly string[]): IsAllowed {
  const isOpened = createOpenedCheck(allowed);
  return (text) => {
    const address = parseAddress(text);
    return address !== null && (isPublic(address) || isOpened(text));
  };
}

/** Creates the check whether an operator has opened an address by name. */
export function createOpenedCheck(allowed: readonly string[]): IsAllowed {
  const opened = allowed.map(parseSubnet);
  return (text) => {
    const address = parseAddress(text);
    return address !== null && opened.some((subnet) => isWithin(address, subnet));
  };
}
