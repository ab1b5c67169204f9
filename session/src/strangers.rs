//! Connections at a port that have not yet proved that they know the token, or a browser's cookie. Their number is bounded, and none
//! of them keeps a newer one out.
//!
//! When every place is taken, the oldest silent connection loses its place to the next one. A connection of
//! this user never loses it to one of another user.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Number of places. Each needs a descriptor, and files need descriptors too.
const PLACES: usize = 64;
/// Shortest time before a place is taken away. A new agent has sent its first bytes by then, and a peer that
/// connects again and again costs the controller little.
const SHORTEST_STAY: Duration = Duration::from_millis(100);

/// The places, shared by the connections that have one.
#[derive(Clone, Debug, Default)]
pub struct Strangers(Arc<Hall>);

#[derive(Debug, Default)]
struct Hall {
    taken: Mutex<Taken>,
    left: Notify,
}

#[derive(Debug, Default)]
struct Taken {
    guests: Vec<Guest>,
    number: u64,
}

/// Connection with a place.
#[derive(Debug)]
struct Guest {
    number: u64,
    since: Instant,
    is_ours: bool,
    has_greeted: bool,
    leave: Arc<Notify>,
}

/// A place, given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    hall: Arc<Hall>,
    number: u64,
    leave: Arc<Notify>,
}

/// Result of asking for a place.
#[derive(Debug)]
enum Entry {
    In(Place),
    /// No place is free; ask again at this time or when one becomes free.
    Wait(Instant),
    /// All places are taken by connections with priority over this one.
    No,
}

impl Strangers {
    /// A place for a connection of this user or another one; `None` when it must close at once.
    pub async fn admit(&self, is_ours: bool) -> Option<Place> {
        loop {
            let left = self.0.left.notified();
            match self.enter(is_ours, Instant::now()) {
                Entry::In(place) => {
                    // The connection that loses its place must free its descriptor before the next one comes.
                    tokio::task::yield_now().await;
                    return Some(place);
                }
                Entry::Wait(until) => tokio::select! {
                    () = left => {}
                    () = tokio::time::sleep_until(until.into()) => {}
                },
                Entry::No => return None,
            }
        }
    }

    fn enter(&self, is_ours: bool, now: Instant) -> Entry {
        let mut taken = self.0.lock();
        if taken.guests.len() >= PLACES {
            let order = |guest: &&Guest| (guest.is_ours, guest.has_greeted, guest.number);
            let Some(next) = taken.guests.iter().min_by_key(order) else { return Entry::No };
            if next.is_ours && !is_ours {
                return Entry::No;
            }
            let (number, until) = (next.number, next.since + SHORTEST_STAY);
            if now < until {
                return Entry::Wait(until);
            }
            let at = taken.guests.iter().position(|guest| guest.number == number);
            if let Some(guest) = at.map(|at| taken.guests.swap_remove(at)) {
                guest.leave.notify_one();
            }
        }
        taken.number += 1;
        let (number, leave) = (taken.number, Arc::new(Notify::new()));
        taken.guests.push(Guest {
            number,
            since: now,
            is_ours,
            has_greeted: false,
            leave: Arc::clone(&leave),
        });
        Entry::In(Place { hall: Arc::clone(&self.0), number, leave })
    }
}

impl Hall {
    /// The list is whole after each use, also after one that panicked.
    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Notes that the connection has sent an agent's first bytes, or the cookie; it keeps its place longer than others.
    pub fn has_greeted(&self) {
        let mut taken = self.hall.lock();
        if let Some(guest) = taken.guests.iter_mut().find(|guest| guest.number == self.number) {
            guest.has_greeted = true;
        }
    }

    /// Returns when another connection has got the place.
    pub async fn is_taken_away(&self) {
        self.leave.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.hall.lock().guests.retain(|guest| guest.number != self.number);
        self.hall.left.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: bool = true;
    const OTHERS: bool = false;

    fn enter(hall: &Strangers, is_ours: bool, now: Instant) -> Place {
        let entry = hall.enter(is_ours, now);
        let Entry::In(place) = entry else { panic!("{entry:?}") };
        place
    }

    fn full(is_ours: bool, now: Instant) -> (Strangers, Vec<Place>) {
        let hall = Strangers::default();
        let places = (0..PLACES).map(|_| enter(&hall, is_ours, now)).collect();
        (hall, places)
    }

    fn has_to_leave(place: &Place) -> bool {
        !place.hall.lock().guests.iter().any(|guest| guest.number == place.number)
    }

    #[test]
    fn the_oldest_silent_one_makes_room_after_a_while() {
        let now = Instant::now();
        let (hall, places) = full(OTHERS, now);
        places[0].has_greeted();
        let Entry::Wait(until) = hall.enter(OTHERS, now) else { panic!("nobody has to wait") };
        assert_eq!(until, now + SHORTEST_STAY);
        let _next = enter(&hall, OTHERS, until);
        assert!(has_to_leave(&places[1]) && !has_to_leave(&places[0]) && !has_to_leave(&places[2]));
        drop(places);
        assert_eq!(hall.0.lock().guests.len(), 1, "places that were not given back");
    }

    #[test]
    fn a_free_place_is_taken_at_once() {
        let now = Instant::now();
        let (hall, mut places) = full(OTHERS, now);
        drop(places.pop());
        let _next = enter(&hall, OTHERS, now);
        assert!(places.iter().all(|place| !has_to_leave(place)));
    }

    #[test]
    fn nobody_makes_room_for_another_users() {
        let (now, later) = (Instant::now(), Instant::now() + SHORTEST_STAY);
        let (hall, _places) = full(OURS, now);
        assert!(matches!(hall.enter(OTHERS, later), Entry::No));
        assert!(matches!(hall.enter(OURS, later), Entry::In(_)));
        let (hall, places) = full(OTHERS, now);
        let ours = enter(&hall, OURS, later);
        // Our connection keeps its place, though it is silent, however many others come.
        let next = |n| enter(&hall, OTHERS, later + n * SHORTEST_STAY);
        let _next = (1..2 * PLACES as u32).map(next).collect::<Vec<_>>();
        assert!(places.iter().all(has_to_leave) && !has_to_leave(&ours));
    }
}
