mysqldump: [Warning] Using a password on the command line interface can be insecure.
-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: localhost    Database: opensim
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `assets`;
CREATE TABLE `assets` (
  `id` text,
  `assetType` text,
  `data` text,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB;
INSERT INTO `assets` VALUES
('5c5c5c5c-0000-4000-8000-0000000007d1',10,'default { touch_start(integer n) { llSay(0, \'It\\\'s a table\'); } }');
DROP TABLE IF EXISTS `land`;
CREATE TABLE `land` (
  `UUID` text,
  `RegionUUID` text,
  `Name` text,
  `OwnerUUID` text,
  `Area` text,
  `LandFlags` text,
  `Bitmap` text,
  `IsGroupOwned` text,
  PRIMARY KEY (`UUID`)
) ENGINE=InnoDB;
INSERT INTO `land` VALUES
('9a9a9a9a-0000-4000-8000-000000000001','4e4e4e4e-0000-4000-8000-000000000001','West','0a0a0a0a-0000-4000-8000-000000000001',65536,0,0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff,0);
DROP TABLE IF EXISTS `primitems`;
CREATE TABLE `primitems` (
  `itemID` text,
  `primID` text,
  `assetID` text,
  `assetType` text,
  `invType` text,
  `name` text,
  PRIMARY KEY (`itemID`)
) ENGINE=InnoDB;
INSERT INTO `primitems` VALUES
('1e1e1e1e-0000-4000-8000-0000000007d1','0b0b0b0b-0000-4000-8000-0000000007d1','5c5c5c5c-0000-4000-8000-0000000007d1',10,10,'Speaker');
DROP TABLE IF EXISTS `prims`;
CREATE TABLE `prims` (
  `UUID` text,
  `RegionUUID` text,
  `SceneGroupID` text,
  `CreatorID` text,
  `OwnerID` text,
  `GroupID` text,
  `Name` text,
  `LinkNumber` text,
  `ObjectFlags` text,
  `BaseMask` text,
  `OwnerMask` text,
  `EveryoneMask` text,
  `NextOwnerMask` text,
  `GroupPositionX` text,
  `GroupPositionY` text,
  `GroupPositionZ` text,
  `PositionX` text,
  `PositionY` text,
  `PositionZ` text,
  `RotationW` text,
  `PhysicsShapeType` text,
  `ParticleSystem` text,
  `CreationDate` text,
  PRIMARY KEY (`UUID`)
) ENGINE=InnoDB;
INSERT INTO `prims` VALUES
('0b0b0b0b-0000-4000-8000-0000000007d2','4e4e4e4e-0000-4000-8000-000000000001','0b0b0b0b-0000-4000-8000-0000000007d1','0a0a0a0a-0000-4000-8000-000000000001','0a0a0a0a-0000-4000-8000-000000000001','00000000-0000-4000-8000-000000000000','Leg',2,0,1040384,1040384,0,1040384,10.25,20.5,21,0.75,0,-0.5,1,0,'',1500000000),
('0b0b0b0b-0000-4000-8000-0000000007d1','4e4e4e4e-0000-4000-8000-000000000001','0b0b0b0b-0000-4000-8000-0000000007d1','0a0a0a0a-0000-4000-8000-000000000001','0a0a0a0a-0000-4000-8000-000000000001','00000000-0000-4000-8000-000000000000','Table',1,0,1040384,1040384,0,1040384,10.25,20.5,21,0,0,-0.5,1,0,'',1500000000);
DROP TABLE IF EXISTS `terrain`;
CREATE TABLE `terrain` (
  `RegionUUID` text,
  `Revision` text,
  `Heightfield` text,
  PRIMARY KEY (`RegionUUID`)
) ENGINE=InnoDB;
DROP TABLE IF EXISTS `regions`;
CREATE TABLE `regions` (
  `uuid` text,
  `regionName` text,
  `sizeX` text,
  `sizeY` text,
  PRIMARY KEY (`uuid`)
) ENGINE=InnoDB;
INSERT INTO `regions` VALUES
('4e4e4e4e-0000-4000-8000-000000000001','Harbour',256,256);
DROP TABLE IF EXISTS `regionsettings`;
CREATE TABLE `regionsettings` (
  `regionUUID` text,
  `water_height` text,
  `object_bonus` text,
  `agent_limit` text,
  `maturity` text,
  PRIMARY KEY (`regionUUID`)
) ENGINE=InnoDB;
INSERT INTO `regionsettings` VALUES
('4e4e4e4e-0000-4000-8000-000000000001',20,1,100,0);
-- Dump completed on 2026-11-24  3:00:00
