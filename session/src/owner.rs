//! User that owns the process at the other end of a local connection, as the kernel knows it (sock_diag(7)).

use rustix::fd::OwnedFd;
use rustix::net::netlink::SOCK_DIAG;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};
use std::net::SocketAddrV4;

/// Sizes and positions in linux/netlink.h and linux/inet_diag.h, in bytes.
const HEADER: usize = 16;
const REQUEST: usize = HEADER + 56;
const STATE: usize = HEADER + 1;
const UID: usize = HEADER + 64;
const INODE: usize = HEADER + 68;
const REPLY: usize = HEADER + 72;
/// `SOCK_DIAG_BY_FAMILY`, `NLM_F_REQUEST`, `IPPROTO_TCP`.
const BY_FAMILY: u16 = 20;
const IS_REQUEST: u16 = 1;
const TCP: u8 = 6;
/// `AF_INET`.
const INET: u8 = 2;
/// `TCP_ESTABLISHED`.
const ESTABLISHED: u8 = 1;

/// Socket for questions to the kernel; `None` where the kernel or a container does not allow them.
#[derive(Debug)]
pub struct Owners(Option<OwnedFd>);

impl Owners {
    /// Opens the socket. Without it no owner is known.
    pub fn open() -> Self {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        Self(socket_with(AddressFamily::NETLINK, SocketType::DGRAM, flags, Some(SOCK_DIAG)).ok())
    }

    /// Whether the process that is connected from `peer` to us at `here` is of this user.
    pub fn is_ours(&self, peer: SocketAddrV4, here: SocketAddrV4) -> bool {
        self.of(peer, here) == Some(rustix::process::geteuid().as_raw())
    }

    /// The user of the process that is connected from `peer` to us at `here`; `None` when it is not known.
    fn of(&self, peer: SocketAddrV4, here: SocketAddrV4) -> Option<u32> {
        let socket = self.0.as_ref()?;
        send(socket, &request(peer, here), SendFlags::empty()).ok()?;
        // The kernel answers before `send` returns.
        let mut answer = [0; 512];
        let (_, length) = recv(socket, &mut answer[..], RecvFlags::empty()).ok()?;
        owner(answer.get(..length)?)
    }
}

/// The question for the one socket that has these addresses, seen from its side.
fn request(peer: SocketAddrV4, here: SocketAddrV4) -> [u8; REQUEST] {
    let mut bytes = [0; REQUEST];
    let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
    put(0, &(REQUEST as u32).to_ne_bytes());
    put(4, &BY_FAMILY.to_ne_bytes());
    put(6, &IS_REQUEST.to_ne_bytes());
    put(HEADER, &[INET, TCP]);
    // All states.
    put(HEADER + 4, &u32::MAX.to_ne_bytes());
    put(HEADER + 8, &peer.port().to_be_bytes());
    put(HEADER + 10, &here.port().to_be_bytes());
    put(HEADER + 12, &peer.ip().octets());
    put(HEADER + 28, &here.ip().octets());
    // No cookie.
    put(HEADER + 48, &[0xff; 8]);
    bytes
}

/// The user id in an answer; `None` for a socket that its process has closed.
fn owner(answer: &[u8]) -> Option<u32> {
    let word = |at: usize| Some(u32::from_ne_bytes(answer.get(at..at + 4)?.try_into().ok()?));
    let kind = u16::from_ne_bytes(answer.get(4..6)?.try_into().ok()?);
    if kind != BY_FAMILY
        || answer.len() < REPLY
        || answer.get(STATE) != Some(&ESTABLISHED)
        || word(INODE)? == 0
    {
        return None;
    }
    word(UID)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};

    fn v4(address: SocketAddr) -> SocketAddrV4 {
        match address {
            SocketAddr::V4(address) => address,
            SocketAddr::V6(address) => panic!("{address}"),
        }
    }

    #[test]
    fn the_kernel_knows_whose_connection_it_is() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let here = v4(listener.local_addr().unwrap());
        let client = TcpStream::connect(here).unwrap();
        let peer = v4(client.local_addr().unwrap());
        let owners = Owners::open();
        assert!(owners.is_ours(peer, here));
        // The other end of the connection, and a connection that does not exist, have no known owner.
        assert_eq!(owners.of(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 1), here), None);
        drop(client);
        assert!(!owners.is_ours(peer, here), "nobody's any more");
        assert_eq!(Owners(None).of(peer, here), None);
    }

    #[test]
    fn a_short_answer_names_nobody() {
        let mut answer = [0; REPLY];
        answer[4..6].copy_from_slice(&BY_FAMILY.to_ne_bytes());
        answer[STATE] = ESTABLISHED;
        answer[INODE] = 1;
        answer[UID..UID + 4].copy_from_slice(&7_u32.to_ne_bytes());
        assert_eq!(owner(&answer), Some(7));
        assert_eq!(owner(&answer[..REPLY - 1]), None);
        assert_eq!(owner(&[]), None);
    }
}
