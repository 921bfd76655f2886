//! hullmark audits exports of Second Life and OpenSimulator content.
