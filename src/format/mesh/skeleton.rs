//! The names of the joints of an avatar: 133 bones, 26 collision volumes, and other names of bones (V
//! `avatar_skeleton.xml`).

/// Bones of the first skeleton, which has no other joints in the middle.
const FIRST: [&str; 6] = ["mPelvis", "mTorso", "mChest", "mNeck", "mHead", "mSkull"];

/// Bones of the first skeleton that end in `Left` and in `Right`.
const FIRST_SIDED: [&str; 10] =
    ["mEye", "mCollar", "mShoulder", "mElbow", "mWrist", "mHip", "mKnee", "mAnkle", "mFoot", "mToe"];

/// Bones of the second skeleton, Bento.
const SECOND: [&str; 27] = [
    "mSpine1",
    "mSpine2",
    "mSpine3",
    "mSpine4",
    "mFaceRoot",
    "mFaceNoseCenter",
    "mFaceNoseBase",
    "mFaceNoseBridge",
    "mFaceJaw",
    "mFaceJawShaper",
    "mFaceChin",
    "mFaceTeethLower",
    "mFaceTeethUpper",
    "mFaceLipLowerCenter",
    "mFaceLipUpperCenter",
    "mFaceTongueBase",
    "mFaceTongueTip",
    "mFaceForeheadCenter",
    "mWingsRoot",
    "mTail1",
    "mTail2",
    "mTail3",
    "mTail4",
    "mTail5",
    "mTail6",
    "mGroin",
    "mHindLimbsRoot",
];

/// Bones of the second skeleton that end in `Left` and in `Right`.
const SECOND_SIDED: [&str; 40] = [
    "mFaceEyeAlt",
    "mFaceForehead",
    "mFaceEyebrowOuter",
    "mFaceEyebrowCenter",
    "mFaceEyebrowInner",
    "mFaceEyeLidUpper",
    "mFaceEyeLidLower",
    "mFaceEyecornerInner",
    "mFaceEar1",
    "mFaceEar2",
    "mFaceNose",
    "mFaceCheekLower",
    "mFaceCheekUpper",
    "mFaceLipLower",
    "mFaceLipUpper",
    "mFaceLipCorner",
    "mHandThumb1",
    "mHandThumb2",
    "mHandThumb3",
    "mHandIndex1",
    "mHandIndex2",
    "mHandIndex3",
    "mHandMiddle1",
    "mHandMiddle2",
    "mHandMiddle3",
    "mHandRing1",
    "mHandRing2",
    "mHandRing3",
    "mHandPinky1",
    "mHandPinky2",
    "mHandPinky3",
    "mWing1",
    "mWing2",
    "mWing3",
    "mWing4",
    "mWing4Fan",
    "mHindLimb1",
    "mHindLimb2",
    "mHindLimb3",
    "mHindLimb4",
];

const VOLUMES: [&str; 12] = [
    "PELVIS",
    "BUTT",
    "BELLY",
    "LEFT_HANDLE",
    "RIGHT_HANDLE",
    "LOWER_BACK",
    "UPPER_BACK",
    "CHEST",
    "LEFT_PEC",
    "RIGHT_PEC",
    "NECK",
    "HEAD",
];

/// Collision volumes that begin with `L_` and with `R_`.
const SIDED_VOLUMES: [&str; 7] =
    ["CLAVICLE", "UPPER_ARM", "LOWER_ARM", "HAND", "UPPER_LEG", "LOWER_LEG", "FOOT"];

/// Names of bones in BVH files.
const OTHER_NAMES: [&str; 6] = ["hip", "abdomen", "chest", "neck", "head", "figureHair"];

/// Names of bones in BVH files that begin with `l` and with `r`.
const SIDED_OTHER_NAMES: [&str; 7] = ["Collar", "Shldr", "ForeArm", "Hand", "Thigh", "Shin", "Foot"];

/// Whether viewers have a joint of this name.
pub fn has(name: &str) -> bool {
    let volume = || name.strip_prefix("L_").or_else(|| name.strip_prefix("R_"));
    let sided = || name.strip_prefix('l').or_else(|| name.strip_prefix('r'));
    is_bone(name, &SECOND, &SECOND_SIDED)
        || is_bone(name.strip_prefix("avatar_").unwrap_or(name), &FIRST, &FIRST_SIDED)
        || VOLUMES.contains(&name)
        || volume().is_some_and(|volume| SIDED_VOLUMES.contains(&volume))
        || OTHER_NAMES.contains(&name)
        || sided().is_some_and(|name| SIDED_OTHER_NAMES.contains(&name))
}

fn is_bone(name: &str, middle: &[&str], sided: &[&str]) -> bool {
    let side = || name.strip_suffix("Left").or_else(|| name.strip_suffix("Right"));
    middle.contains(&name) || side().is_some_and(|bone| sided.contains(&bone))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skeleton_has_133_bones_and_26_volumes() {
        let bones = FIRST.len() + SECOND.len() + 2 * (FIRST_SIDED.len() + SECOND_SIDED.len());
        assert_eq!((bones, VOLUMES.len() + 2 * SIDED_VOLUMES.len()), (133, 26));
        for name in [
            "mPelvis",
            "mWing4FanRight",
            "mHandPinky3Left",
            "R_CLAVICLE",
            "CHEST",
            "avatar_mToeLeft",
            "rShin",
        ] {
            assert!(has(name), "{name}");
        }
        for name in [
            "",
            "pelvis",
            "mPelvisLeft",
            "mToe",
            "avatar_mTail1",
            "L_CHEST",
            "CLAVICLE",
            "mWing5Left",
            "Bone",
        ] {
            assert!(!has(name), "{name}");
        }
    }
}
